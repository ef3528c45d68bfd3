/**
 * Runs one helper program to its end: argv only, in its own process group, with a deadline
 * and an explicit environment that inherits nothing. The run finishes when the program
 * exits, even if another process still holds its pipes; its group is killed on abort, at
 * the deadline and when its output exceeds the limit.
 */

import type { ChildProcess } from 'node:child_process';
import { createAbortError, throwIfAborted } from '../util/clock.ts';
import type { Confine } from '../util/invocation.ts';
import type { ChildExit } from '../util/child-group.ts';
import { signalChildGroup, waitForExit } from '../util/child-group.ts';
import { startInvocation } from '../util/start-invocation.ts';

/** Ensures that no process outlives this program, however it ends. */
export interface ChildGuard {
  /** The variables that mark a process and its descendants; to be added to its environment. */
  prepare(): Readonly<Record<string, string>>;
  watch(group: number): void;
  unwatch(group: number): void;
}

export interface ChildRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Written to stdin; without it stdin is closed. */
  input?: string;
  signal: AbortSignal;
  timeoutMs: number;
  /** Receives stdout as it arrives. Returning false ends the program; so does throwing, which rejects the run. */
  onStdout(chunk: Buffer): boolean;
  onPid?(pid: number): void;
  guard?: ChildGuard | undefined;
  /** Puts the program into a sandbox; for programs that a project or a model chooses. */
  confine?: Confine | undefined;
  /** Delays the guard: most programs finish sooner, and a guard would cost more than they do. */
  guardAfterMs?: number;
}

export interface ChildOutcome extends ChildExit {
  /** The first 64 KiB. */
  stderr: string;
  /** Why this program ended it, if it did. */
  ended?: 'timeout' | 'enough' | undefined;
}

const MAX_STDERR_BYTES = 65_536;

/** Rejects with AbortError on abort and with the system's error when the program cannot be started. */
export async function runChild(request: ChildRequest): Promise<ChildOutcome> {
  const { signal } = request;
  throwIfAborted(signal);
  const { command, args, cwd, env, confine } = request;
  const given = { file: command, args, directory: cwd, environment: env };
  const invocation = confine ? await confine(given, 'tool') : given;
  throwIfAborted(signal);
  const child = startInvocation(invocation, {
    cwd,
    detached: process.platform !== 'win32',
    stdio: [request.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) request.onPid?.(child.pid);
  let ended: ChildOutcome['ended'];
  const end = (why: 'timeout' | 'enough') => {
    ended ??= why;
    signalChildGroup(child, 'SIGKILL');
  };
  const onAbort = () => signalChildGroup(child, 'SIGKILL');
  const unwatch = watch(child, request);
  signal.addEventListener('abort', onAbort, { once: true });
  const deadline = setTimeout(() => end('timeout'), request.timeoutMs);
  const errors = collectStderr(child);
  let failure: { error: unknown } | undefined;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (ended !== undefined || signal.aborted) return;
    try {
      if (!request.onStdout(chunk)) end('enough');
    } catch (error) {
      failure = { error };
      end('enough');
    }
  });
  // A program that does not read its input breaks the pipe; its exit code reports the result.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(request.input);
  try {
    const { code, signal: endedBy } = await waitForExit(child);
    if (signal.aborted) throw createAbortError(signal);
    if (failure) throw failure.error;
    return { code, signal: endedBy, stderr: errors(), ended };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', onAbort);
    signalChildGroup(child, 'SIGKILL');
    unwatch();
  }
}

function watch({ pid }: ChildProcess, { guard, guardAfterMs = 0 }: ChildRequest): () => void {
  if (pid === undefined || !guard) return () => undefined;
  if (guardAfterMs === 0) guard.watch(pid);
  const timer = guardAfterMs > 0 ? setTimeout(() => guard.watch(pid), guardAfterMs) : undefined;
  return () => {
    clearTimeout(timer);
    guard.unwatch(pid);
  };
}

function collectStderr(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (size < MAX_STDERR_BYTES) chunks.push(chunk.subarray(0, MAX_STDERR_BYTES - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
