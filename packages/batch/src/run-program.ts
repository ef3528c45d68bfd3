/** Runs `castor` for one try of a task, or continues the run that a dead worker left, and waits for its end. */

import { closeSync, openSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import type { Claim } from './engine.ts';
import { endGroup, startProgram } from './lifeline.ts';
import { RunLog } from './run-log.ts';

export interface ProgramOptions {
  claim: Claim;
  /** The command that starts castor. */
  program: readonly [string, ...string[]];
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  sessionId: string;
  isContinued: boolean;
  log: string;
  errors: string;
  /** Ends the run; its session stays. */
  signal: AbortSignal;
  onProgress: (log: RunLog) => void;
  onStart: (pid: number) => void;
}

/** How often the output is looked at while the program runs. */
const LOOK_MS = 250;
/** castor ends within five seconds of a signal, with all it started. */
const KILL_AFTER_MS = 8_000;

export interface ProgramEnd {
  /** Null when a signal ended it. */
  code: number | null;
  log: RunLog;
}

/** Throws the system's error when the program cannot be started. */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { program, directory, environment, log: path, errors, signal, onProgress } = options;
  const [command, ...first] = program;
  const log = new RunLog(path);
  // What earlier runs of this try wrote.
  log.read();
  log.result = undefined;
  const [stdout, stderr] = [openSync(path, 'a', 0o600), openSync(errors, 'a', 0o600)];
  let child: ChildProcess;
  try {
    child = startProgram(command, [...first, ...flagsOf(options)], { directory, environment, stdout, stderr });
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
  if (child.pid !== undefined) options.onStart(child.pid);
  const looking = setInterval(() => {
    log.read();
    onProgress(log);
  }, LOOK_MS);
  const { promise, settle } = exitOf(child);
  const stop = endOn(signal, child);
  try {
    const code = await promise;
    log.read();
    onProgress(log);
    return { code, log };
  } finally {
    clearInterval(looking);
    stop();
    settle();
  }
}

function flagsOf({ claim, sessionId, isContinued }: ProgramOptions): string[] {
  const { task, reserved, options } = claim;
  const { limits } = task;
  const flags = [...options.flags, '-o', 'stream-json'];
  if (task.model !== undefined) flags.push('--model', task.model);
  if (task.schema !== undefined) flags.push('--output-schema', task.schema);
  if (limits.turns !== undefined) flags.push('--max-turns', String(limits.turns));
  if (limits.time !== undefined) flags.push('--max-time', `${Math.ceil(limits.time)}s`);
  if (reserved.cost !== undefined) flags.push('--max-cost', reserved.cost.toFixed(6));
  if (reserved.tokens !== undefined) flags.push('--max-tokens', String(reserved.tokens));
  if (isContinued) return [...flags, '--resume', sessionId, '--continue'];
  const files = task.files.map((path) => `@${path.replaceAll(' ', '\\ ')}`);
  return [...flags, '--session-id', sessionId, '-p', [task.prompt, ...files].join('\n')];
}

function exitOf(child: ChildProcess): { promise: Promise<number | null>; settle: () => void } {
  // The worker's end of the lifeline; a child that is gone may not crash the worker.
  const lifeline = child.stdio[3];
  lifeline?.on('error', () => undefined);
  const promise = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  return { promise, settle: () => lifeline?.destroy() };
}

/** Asks the child to end, then makes it. Returns what stops that. */
export function endOn(signal: AbortSignal, child: ChildProcess): () => void {
  let deadline: NodeJS.Timeout | undefined;
  const end = () => {
    endGroup(child, 'SIGTERM');
    deadline = setTimeout(() => endGroup(child, 'SIGKILL'), KILL_AFTER_MS);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
  };
}
