/**
 * HookRunner: runs one hook process from start to end. The process has its own group, reads
 * one JSON text, and is finished when it exits, whatever still holds its pipes. After its
 * timeout the group gets SIGTERM, and SIGKILL 5 seconds later. Output is kept up to a limit
 * and counted beyond it. It knows neither events nor decisions.
 */

import type { ChildProcess } from 'node:child_process';
import { getErrorMessage } from '../protocol/errors.ts';
import { signalChildGroup, waitForExit } from '../util/child-group.ts';
import { createAbortError, throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { Confine } from '../util/invocation.ts';
import { startInvocation } from '../util/start-invocation.ts';

export interface HookShell {
  /** An absolute path: a program planted in the project is never found. */
  file: string;
  toArguments(command: string): string[];
}

/** Ensures that no hook outlives this program, however that ends. */
export interface HookGuard {
  /** Called before a hook starts; its result is added to the hook's environment. */
  prepare(): Readonly<Record<string, string>>;
  watch(group: number): void;
  unwatch(group: number): void;
}

export interface HookRunnerOptions {
  shell: HookShell;
  clock: Clock;
  guard?: HookGuard;
  /** Puts each hook into a sandbox; absent: none was asked for. */
  confine?: Confine | undefined;
}

export interface HookProcess {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string;
  timeoutMs: number;
}

export interface HookRun {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it or it never ran. */
  exitCode: number | null;
  durationMs: number;
  /** Why the run has no usable result: the hook could not be started, was killed, or timed out. */
  failure?: string;
  /** Bytes of output beyond the limit. */
  leftOut: number;
  /** The output at its exit, if processes it left behind printed more. */
  atExit?: { stdout: string; stderr: string };
}

/** Per stream; a hook may return a whole conversation. */
const KEPT_BYTES = 10 * 1024 * 1024;
const KILL_AFTER_TERM_MS = 5_000;
/** Shorter than after a timeout: a user who cancels is waiting. */
const KILL_AFTER_ABORT_MS = 500;

export class HookRunner {
  private readonly options: HookRunnerOptions;
  private readonly running = new Set<ChildProcess>();

  constructor(options: HookRunnerOptions) {
    this.options = options;
  }

  /** Rejects with AbortError only. */
  async run(hook: HookProcess, signal: AbortSignal): Promise<HookRun> {
    throwIfAborted(signal);
    const { clock } = this.options;
    const startedAt = clock.now();
    let child: ChildProcess;
    try {
      child = await this.start(hook);
    } catch (error) {
      return notStarted(error, clock.now() - startedAt);
    }
    const stdout = new Capture(child.stdout);
    const stderr = new Capture(child.stderr);
    const over = new AbortController();
    const ending = this.endInTime(child, hook, signal, over.signal);
    try {
      const { code, signal: killedBy } = await waitForExit(child, () => void markExit([stdout, stderr]));
      const isLate = stdout.isLate || stderr.isLate;
      if (signal.aborted) throw createAbortError(signal);
      const failure = ending.timedOut
        ? `it did not finish within ${hook.timeoutMs} ms and was ended`
        : killedBy && `it was ended by ${killedBy}`;
      return {
        stdout: stdout.text(),
        stderr: stderr.text(),
        exitCode: code,
        durationMs: clock.now() - startedAt,
        leftOut: stdout.leftOut + stderr.leftOut,
        ...(isLate && { atExit: { stdout: stdout.textAtExit(), stderr: stderr.textAtExit() } }),
        ...(failure && { failure }),
      };
    } catch (error) {
      throwIfAborted(signal);
      return notStarted(error, clock.now() - startedAt);
    } finally {
      over.abort();
      if (ending.timedOut || signal.aborted) signalChildGroup(child, 'SIGKILL');
      this.running.delete(child);
      if (child.pid !== undefined) this.options.guard?.unwatch(child.pid);
    }
  }

  /** Kills the running hooks at once. */
  dispose(): void {
    for (const child of this.running) signalChildGroup(child, 'SIGKILL');
  }

  private async start({ command, cwd, env, input }: HookProcess): Promise<ChildProcess> {
    const { shell, guard, confine } = this.options;
    const marks = guard?.prepare();
    // Without SHLVL, bash takes a socket on stdin for a remote login and reads ~/.bashrc.
    const environment = { SHLVL: '1', ...env, ...marks };
    const given = { file: shell.file, args: shell.toArguments(command), directory: cwd, environment };
    const invocation = confine ? await confine(given, 'hook') : given;
    const child = startInvocation(invocation, {
      cwd,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.running.add(child);
    if (child.pid !== undefined) guard?.watch(child.pid);
    // A hook need not read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    return child;
  }

  /** Sends SIGTERM to the group at the timeout or on abort, and SIGKILL after the grace period. */
  private endInTime(child: ChildProcess, hook: HookProcess, signal: AbortSignal, over: AbortSignal) {
    const { clock } = this.options;
    const state = { timedOut: false };
    const end = (graceMs: number) => {
      signalChildGroup(child, 'SIGTERM');
      clock.sleep(graceMs, over).then(
        () => signalChildGroup(child, 'SIGKILL'),
        () => undefined,
      );
    };
    clock.sleep(hook.timeoutMs, over).then(
      () => {
        state.timedOut = true;
        end(KILL_AFTER_TERM_MS);
      },
      () => undefined,
    );
    signal.addEventListener('abort', () => end(KILL_AFTER_ABORT_MS), { once: true, signal: over });
    return state;
  }
}

/** Output from before the exit is in the pipes by then, and is read within a few turns of the event loop. */
async function markExit(captures: readonly Capture[]): Promise<void> {
  const count = () => captures.reduce((sum, { arrived }) => sum + arrived, 0);
  let before: number;
  do {
    before = count();
    await nextTurn();
    await nextTurn();
  } while (count() > before);
  for (const capture of captures) capture.markExit();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function notStarted(error: unknown, durationMs: number): HookRun {
  const failure = `it could not be started: ${getErrorMessage(error)}`;
  return { stdout: '', stderr: '', exitCode: null, durationMs, failure, leftOut: 0 };
}

/** The first bytes of a stream, and the number of bytes after them. */
class Capture {
  leftOut = 0;
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private keptAtExit: number | undefined;

  constructor(stream: ChildProcess['stdout']) {
    stream?.on('data', (chunk: Buffer) => {
      const piece = chunk.subarray(0, KEPT_BYTES - this.kept);
      if (piece.length > 0) this.chunks.push(piece);
      this.kept += piece.length;
      this.leftOut += chunk.length - piece.length;
    });
  }

  get arrived(): number {
    return this.kept + this.leftOut;
  }

  /** Whether more was kept after the exit. */
  get isLate(): boolean {
    return this.keptAtExit !== undefined && this.kept > this.keptAtExit;
  }

  markExit(): void {
    this.keptAtExit = this.kept;
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  textAtExit(): string {
    return Buffer.concat(this.chunks).subarray(0, this.keptAtExit).toString('utf8');
  }
}
