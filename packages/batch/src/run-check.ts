/** Runs the check of a task in its folder: the exit code decides, the output goes to a bounded file, and nothing of it stays behind. */

import { openBoundedOutput } from './bounded-output.ts';
import type { Claim } from './engine.ts';
import { endOn, startCommand, TASK_VARIABLE } from './lifeline.ts';
import type { Starter } from './starter.ts';
import { killStrays } from './stray-processes.ts';

export interface CheckOptions {
  starter: Starter;
  command: string;
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the check may see although they look secret. */
  granted: readonly string[];
  /** Of all that the task starts. */
  mark: string;
  output: string;
  /** Where the check writes to. */
  pipe: string;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface CheckEnd {
  /** Null when a signal or the time ended it. */
  exitCode: number | null;
  isLate: boolean;
}

const SECRET = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Throws the system's error where the output cannot be written. */
export async function runCheck(options: CheckOptions): Promise<CheckEnd> {
  const { starter, command, directory, environment, granted, mark, output, pipe, timeoutMs, signal } = options;
  const visible = Object.entries(environment).filter(([name]) => granted.includes(name) || !SECRET.test(name));
  const own = { ...Object.fromEntries(visible), [TASK_VARIABLE]: mark };
  let end = (): void => undefined;
  const reading = await openBoundedOutput({ starter, environment, pipe, path: output, onFailure: () => end() });
  let isLate = false;
  try {
    const started = startCommand(starter, command, { directory, environment: own, stdout: pipe, stderr: pipe });
    end = () => started.end('SIGKILL');
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    const stop = endOn(signal, started);
    try {
      return { exitCode: await started.ended, isLate };
    } finally {
      clearTimeout(timer);
      stop();
      // What the check left running ends with it.
      end();
      killStrays(mark);
    }
  } finally {
    await reading.end();
  }
}

/** In a sandbox that the user asked for, the check has the bounds of the task's own commands; else it runs as in CI. */
export function checkLine(
  check: string,
  options: Claim['options'],
  program: readonly string[],
  isWorktree: boolean,
): string {
  const { flags, isSandboxAdded } = options;
  const isSandboxed = isSandboxAdded !== true && flags.some((flag) => /^(?:-s|--sandbox)(?:=true)?$/.test(flag));
  if (!isSandboxed) return check;
  const task = isWorktree ? ['--task', 'worktree'] : [];
  const words = [...program, 'sandbox', 'run', ...task, '--', 'sh', '-c', check];
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
