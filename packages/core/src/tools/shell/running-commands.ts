/**
 * RunningCommands: starts command lines and reports how they ended. It owns the running commands, their deadlines
 * and their termination. The first command loads it: a start of the program does not need it.
 */

import { getErrorMessage } from '../../protocol/errors.ts';
import type { ProgramUse } from '../../util/invocation.ts';
import { CALL_MARK } from './child-environment.ts';
import { CommandOutput } from './command-output.ts';
import { CommandWatch } from './command-watch.ts';
import { endProcess, within } from './end-process.ts';
import { findLeftBehind, mayStartDaemon } from './left-behind.ts';
import { withLimitMark } from './limit-mark.ts';
import { OutputPipes } from './output-pipes.ts';
import { parseCommand } from './parsed-command.ts';
import { loadPty, startPty } from './pty.ts';
import { confineShell, toShellInvocation } from './shell-program.ts';
import type { ShellInvocation } from './shell-program.ts';
import { isMoved, notStarted } from './shell-outcome.ts';
import type { MovedCommand, ShellEnding, ShellOutcome, ShellRequest } from './shell-outcome.ts';
import { startPiped } from './shell-process.ts';
import type { ShellProcess, StartRequest } from './shell-process.ts';
import { DEFAULT_TERMINAL_SIZE } from './terminal-display.ts';
import type { TerminalDisplay, TerminalSink, TerminalSize } from './terminal-display.ts';
import type { ShellRunnerOptions } from './shell-runner.ts';
import type { Watchdog } from './watchdog.ts';

/** What the runner provides: its options with defaults, and the watchdog it shares with other components. */
export interface RunningCommandsOptions extends ShellRunnerOptions {
  inactivityTimeoutMs: number;
  maxOutputBytes: number;
  watchdog: Watchdog;
}

interface Running {
  process: ShellProcess;
  mark: string;
  output: CommandOutput;
  touch: () => void;
  interrupt: (ending: ShellEnding) => void;
}

/** A process that survives SIGKILL hangs in the kernel; the runner does not wait for it. */
const LAST_WAIT_MS = 2000;

export class RunningCommands {
  private readonly options: RunningCommandsOptions;
  private readonly pipes: OutputPipes;
  private readonly watchdog: Watchdog;
  private readonly running = new Map<number, Running>();
  private display: TerminalDisplay | undefined;

  constructor(options: RunningCommandsOptions) {
    this.options = options;
    this.watchdog = options.watchdog;
    this.pipes = new OutputPipes(options.tempDirectory);
  }

  /** Never rejects because of the command; a failed start is reported in `error`. */
  async run(request: ShellRequest): Promise<ShellOutcome> {
    if (request.signal.aborted) return notStarted('cancelled');
    const mark = this.watchdog.nextMark();
    let touch = () => {};
    const interrupted = Promise.withResolvers<ShellEnding>();
    const output = new CommandOutput({
      onActivity: () => touch(),
      maxBytes: this.options.maxOutputBytes,
      onTooMuch: () => interrupted.resolve('too_much_output'),
      cap: this.options.outputCap,
      onOutput: request.onOutput,
    });
    let process: ShellProcess;
    let sink: TerminalSink | undefined;
    try {
      process = await this.start(request, mark, (bytes) => {
        output.write(bytes);
        sink?.write(bytes);
      });
    } catch (error) {
      return { ...notStarted('exited'), error: error instanceof Error ? error : new Error(getErrorMessage(error)) };
    }
    this.watchdog.watch(process.pid);
    sink = this.openDisplay(process);
    request.onPid?.(process.pid);

    const onAbort = () => interrupted.resolve('cancelled');
    request.signal.addEventListener('abort', onAbort, { once: true });
    if (request.signal.aborted) onAbort();
    const watch = new CommandWatch(
      {
        process,
        output,
        inactivityTimeoutMs: this.options.inactivityTimeoutMs,
        onWait: (line) => sink?.wait(line),
        onEnding: interrupted.resolve,
      },
      this.options,
    );
    touch = () => watch.touch();
    this.running.set(process.pid, { process, mark, output, touch, interrupt: interrupted.resolve });
    let ending: ShellEnding = 'exited';
    try {
      ending = await Promise.race([process.finished.then(() => 'exited' as const), interrupted.promise]);
      const { waitingAt } = watch;
      const facts = { ending, pid: process.pid, waitingAt };
      if (isMoved(ending)) return { ...facts, ...this.move(process, mark, output) };
      if (ending !== 'exited') await endProcess(process, mark);
      const exit = await within(process.finished, LAST_WAIT_MS);
      const backgroundPids = ending === 'exited' ? await findLeftBehind(request.command, process, mark) : [];
      const { code, signal } = exit ?? { code: null, signal: null };
      const printed = ending === 'too_much_output' && { printedBytes: output.byteCount };
      return { ...facts, ...printed, output: output.text(), exitCode: code, signal, backgroundPids };
    } finally {
      watch.stop();
      request.signal.removeEventListener('abort', onAbort);
      if (!isMoved(ending)) this.forget(process.pid);
    }
  }

  /** Ends the call of a running command; the command keeps running. */
  moveToBackground(pid: number): boolean {
    const running = this.running.get(pid);
    running?.interrupt('moved_to_background');
    return running !== undefined;
  }

  /** Whether the command runs, in the foreground or the background. */
  isRunning(pid: number): boolean {
    return this.running.has(pid);
  }

  /** Whether it has a terminal that a user can type into. */
  canType(pid: number): boolean {
    return this.running.get(pid)?.process.hasTerminal ?? false;
  }

  /** From now on shows the terminals of commands, in the size of the display. */
  showTerminals(display: TerminalDisplay): void {
    this.display = display;
  }

  /** Resizes running terminals; later ones get their size from the display. */
  resizeTerminals(size: TerminalSize): void {
    for (const { process } of this.running.values()) process.resize(size);
  }

  /** The output of a running command since its last newline; empty when it does not run. */
  unfinishedLine(pid: number): string {
    return this.running.get(pid)?.output.unfinishedLine ?? '';
  }

  /** Types into the terminal of a running command. From then on its output is shown as it is written. */
  write(pid: number, text: string): boolean {
    const running = this.running.get(pid);
    if (!running?.process.hasTerminal) return false;
    running.output.attend();
    running.touch();
    running.process.write(text);
    return true;
  }

  /** Sends a terminal's automatic reply (cursor position, device type), which the user did not type. */
  answer(pid: number, text: string): void {
    this.running.get(pid)?.process.write(text);
  }

  /** Ends the running commands; the runner ends the jobs they left behind. */
  async dispose(): Promise<void> {
    const running = [...this.running.values()];
    for (const { interrupt } of running) interrupt('cancelled');
    await Promise.all(running.map(({ process, mark }) => endProcess(process, mark)));
    await this.pipes.dispose();
  }

  private async start(asked: ShellRequest, mark: string, onData: (bytes: Uint8Array) => void): Promise<ShellProcess> {
    const used = await this.options.useMarks?.(asked.command);
    const request = used ? { ...asked, command: used.command } : asked;
    const added = await this.options.environmentFor?.(request.command, request.directory);
    const environment = { ...this.options.environment, ...added, ...used?.variables, [CALL_MARK]: mark };
    this.watchdog.start();
    const module = this.options.useTerminal ? await this.loadTerminal(request.command) : undefined;
    const { invocation, variables } = await this.confine(request, environment, module ? 'terminal' : 'command');
    const start: StartRequest = {
      invocation: withLimitMark(invocation, this.watchdog.limitMark),
      directory: request.directory,
      environment: variables,
      size: this.display?.size ?? DEFAULT_TERMINAL_SIZE,
      onData,
    };
    return module ? startPty(start, module) : startPiped(start, this.pipes);
  }

  /** The exit of a terminal's shell hangs up its jobs, but a job or daemon left behind must survive. */
  private async loadTerminal(command: string): ReturnType<typeof loadPty> {
    const module = await loadPty();
    if (!module || mayStartDaemon(command)) return undefined;
    return (await parseCommand(command)).leavesJobs ? undefined : module;
  }

  private async confine(
    { command, directory, isUnconfined = false }: ShellRequest,
    environment: Record<string, string>,
    use: ProgramUse,
  ): Promise<{ invocation: ShellInvocation; variables: Record<string, string> }> {
    const invocation = toShellInvocation(command, environment);
    const { confine } = this.options;
    if (!confine || isUnconfined) return { invocation, variables: environment };
    return confineShell(confine, { invocation, directory, environment }, use);
  }

  /** Over pipes there is only text, which is reported as output. */
  private openDisplay({ pid, hasTerminal, finished }: ShellProcess): TerminalSink | undefined {
    if (!hasTerminal) return undefined;
    const sink = this.display?.open(pid);
    if (sink) void finished.then(() => sink.close());
    return sink;
  }

  private move(process: ShellProcess, mark: string, output: CommandOutput): Omit<ShellOutcome, 'ending'> {
    void process.finished.then(() => this.forget(process.pid));
    const early: string[] = [];
    let sink: (text: string) => void = (text) => {
      early.push(text);
    };
    output.redirect((text) => sink(text));
    // Subscribe now: the command may exceed the limit before it is taken over.
    const tooMuch = new Promise<number>((resolve) => output.onTooMuch(() => resolve(output.byteCount)));
    const moved: MovedCommand = {
      finished: process.finished,
      onText(to) {
        for (const text of early.splice(0)) to(text);
        sink = to;
      },
      onTooMuchOutput: (listener) => void tooMuch.then(listener),
      end: () => endProcess(process, mark),
    };
    return { output: output.text(), exitCode: null, signal: null, backgroundPids: [], moved };
  }

  private forget(pid: number): void {
    this.running.delete(pid);
    this.watchdog.unwatch(pid);
  }
}
