/** Runs the check of a task in its folder: the exit code decides, the output goes to a bounded file. */

import { rmSync, statSync } from 'node:fs';
import type { Claim } from './engine.ts';
import { endOn, startCommand, TASK_VARIABLE } from './lifeline.ts';
import type { Starter } from './starter.ts';

export interface CheckOptions {
  starter: Starter;
  command: string;
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the check may see although they look secret. */
  granted: readonly string[];
  output: string;
  timeoutMs: number;
  signal: AbortSignal;
}

const SECRET = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const MAX_OUTPUT = 64 * 1024 * 1024;
const LOOK_MS = 500;

/** Null when a signal, the time or the size of the output ended it. */
export async function runCheck(options: CheckOptions): Promise<number | null> {
  const { starter, command, directory, environment, granted, output, timeoutMs, signal } = options;
  const visible = Object.entries(environment).filter(([name]) => granted.includes(name) || !SECRET.test(name));
  rmSync(output, { force: true });
  const own = { ...Object.fromEntries(visible), [TASK_VARIABLE]: '1' };
  const where = { directory, environment: own, stdout: output, stderr: output };
  const started = startCommand(starter, command, where);
  const looking = setInterval(() => {
    if (statSync(output).size > MAX_OUTPUT) started.end('SIGKILL');
  }, LOOK_MS);
  const timer = setTimeout(() => started.end('SIGKILL'), timeoutMs);
  const stop = endOn(signal, started);
  try {
    return await started.ended;
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    stop();
    // What the check left running ends with it.
    started.end('SIGKILL');
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
