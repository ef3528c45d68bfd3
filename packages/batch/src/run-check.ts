/** Runs the check of a task in its folder: the exit code decides, the output goes to a bounded file. */

import { closeSync, openSync, statSync } from 'node:fs';
import { endGroup, startCommand } from './lifeline.ts';
import { endOn } from './run-program.ts';

export interface CheckOptions {
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
  const { command, directory, environment, granted, output, timeoutMs, signal } = options;
  const visible = Object.entries(environment).filter(([name]) => granted.includes(name) || !SECRET.test(name));
  const file = openSync(output, 'w', 0o600);
  let child;
  try {
    child = startCommand(command, { directory, environment: Object.fromEntries(visible), stdout: file, stderr: file });
  } finally {
    closeSync(file);
  }
  const lifeline = child.stdio[3];
  lifeline?.on('error', () => undefined);
  const looking = setInterval(() => {
    if (statSync(output).size > MAX_OUTPUT) endGroup(child, 'SIGKILL');
  }, LOOK_MS);
  const timer = setTimeout(() => endGroup(child, 'SIGKILL'), timeoutMs);
  const stop = endOn(signal, child);
  try {
    return await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code));
    });
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    stop();
    // What the check left running ends with it.
    endGroup(child, 'SIGKILL');
    lifeline?.destroy();
  }
}
