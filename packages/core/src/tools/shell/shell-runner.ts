/**
 * ShellRunner: runs command lines to their end and reports how they ended. It knows no policy and writes no text for
 * the model. However a command ends, its group is gone afterwards, except for jobs the command itself left behind;
 * those end with `dispose`, or with this program. RunningCommands does the work, loaded by the first command.
 */

import type { ChildGuard } from '../run-child.ts';
import type { Confine } from '../../util/invocation.ts';
import { CALL_MARK } from './child-environment.ts';
import type { CommandWatchOptions } from './command-watch.ts';
import { DEFAULT_MAX_OUTPUT_BYTES } from './output-limit.ts';
import type { RunningCommands } from './running-commands.ts';
import type { RunElsewhere, ShellOutcome, ShellRequest } from './shell-outcome.ts';
import type { TerminalDisplay, TerminalSize } from './terminal-display.ts';
import { Watchdog } from './watchdog.ts';

export type EnvironmentFor = (command: string, directory: string) => Promise<Record<string, string>>;

export type UseMarks = (command: string) => Promise<{ command: string; variables: Record<string, string> }>;

export interface ShellRunnerOptions extends CommandWatchOptions {
  /** From `createChildEnvironment`. */
  environment: Record<string, string>;
  /** Further variables for one command, requested before it starts. */
  environmentFor?: EnvironmentFor;
  /** Puts the values behind the marks of a command line into its environment. Throws for a mark it cannot use. */
  useMarks?: UseMarks | undefined;
  /** Puts each command into a sandbox; absent: none was asked for. */
  confine?: Confine | undefined;
  /** The project's temporary directory; it need not exist yet. */
  tempDirectory: string;
  /** Gives each command a terminal where possible. Off when no user can type. */
  useTerminal?: boolean;
  /** A command without output for this long is ended; 0 for never. */
  inactivityTimeoutMs?: number;
  /** A command that prints more bytes is stopped; 0 for no limit. */
  maxOutputBytes?: number;
  /** How many characters of one output are kept. */
  outputCap?: number;
  /** Runs the commands of calls instead of this runner. */
  elsewhere?: RunElsewhere | undefined;
}

const DEFAULT_INACTIVITY_MS = 300_000;

export class ShellRunner {
  readonly inactivityTimeoutMs: number;
  readonly maxOutputBytes: number;
  private readonly options: ShellRunnerOptions;
  private readonly watchdog = new Watchdog();
  private loading: Promise<RunningCommands> | undefined;
  /** Absent before the first command. */
  private commands: RunningCommands | undefined;
  private display: TerminalDisplay | undefined;

  constructor(options: ShellRunnerOptions) {
    this.options = options;
    this.inactivityTimeoutMs = options.inactivityTimeoutMs ?? DEFAULT_INACTIVITY_MS;
    this.maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  }

  /** Never rejects because of the command; a failed start is reported in `error`. */
  async run(request: ShellRequest): Promise<ShellOutcome> {
    const { elsewhere, environment, environmentFor, useMarks } = this.options;
    const { callId, directory } = request;
    if (elsewhere && callId !== undefined) {
      const { inactivityTimeoutMs } = this;
      const used = (await useMarks?.(request.command)) ?? { command: request.command, variables: {} };
      const own = await environmentFor?.(used.command, directory);
      const outcome = await elsewhere({
        ...{ ...request, command: used.command, callId, inactivityTimeoutMs },
        environment: { ...environment, ...own, ...used.variables },
      });
      const { cleanOutput } = await import('./clean-output.ts');
      return { ...outcome, output: cleanOutput(Buffer.from(outcome.output)) };
    }
    const commands = this.commands ?? (await (this.loading ??= this.load()));
    return commands.run(request);
  }

  /** Ends the call of a running command; the command keeps running. */
  moveToBackground(pid: number): boolean {
    return this.commands?.moveToBackground(pid) ?? false;
  }

  /** Whether the command runs, in the foreground or the background. */
  isRunning(pid: number): boolean {
    return this.commands?.isRunning(pid) ?? false;
  }

  /** Whether it has a terminal that a user can type into. */
  canType(pid: number): boolean {
    return this.commands?.canType(pid) ?? false;
  }

  /** From now on shows the terminals of commands, in the size of the display. */
  showTerminals(display: TerminalDisplay): void {
    this.display = display;
    this.commands?.showTerminals(display);
  }

  /** Resizes running terminals; later ones get their size from the display. */
  resizeTerminals(size: TerminalSize): void {
    this.commands?.resizeTerminals(size);
  }

  /** The output of a running command since its last newline; empty when it does not run. */
  unfinishedLine(pid: number): string {
    return this.commands?.unfinishedLine(pid) ?? '';
  }

  /** Types into the terminal of a running command. From then on its output is shown as it is written. */
  write(pid: number, text: string): boolean {
    return this.commands?.write(pid, text) ?? false;
  }

  /** Sends a terminal's automatic reply (cursor position, device type), which the user did not type. */
  answer(pid: number, text: string): void {
    this.commands?.answer(pid, text);
  }

  /** For processes that other components start: they end with this program, and when the runner is disposed. */
  get guard(): ChildGuard {
    return {
      prepare: () => {
        this.watchdog.start();
        return { [CALL_MARK]: this.watchdog.nextMark() };
      },
      watch: (group) => this.watchdog.watch(group),
      unwatch: (group) => this.watchdog.unwatch(group),
    };
  }

  /** Ends everything started here, jobs left behind included. */
  async dispose(): Promise<void> {
    const commands = await this.loading;
    await commands?.dispose();
    // The processes of the guard have marks too.
    if (this.watchdog.hasCalls) {
      const { killMarkedProcesses } = await import('./stray-processes.ts');
      await killMarkedProcesses(this.watchdog.mark, this.watchdog.limitMark);
    }
    this.watchdog.dispose();
  }

  private async load(): Promise<RunningCommands> {
    const { RunningCommands } = await import('./running-commands.ts');
    const { options, inactivityTimeoutMs, maxOutputBytes, watchdog } = this;
    this.commands = new RunningCommands({ ...options, inactivityTimeoutMs, maxOutputBytes, watchdog });
    if (this.display) this.commands.showTerminals(this.display);
    return this.commands;
  }
}
