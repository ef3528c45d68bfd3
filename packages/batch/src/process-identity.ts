/** Tells whether a process of this machine still runs, also when its number belongs to another one by now. */

import { readFileSync } from 'node:fs';

/** The start time in the system's units; empty where the system does not tell. */
export function startTimeOf(pid: number): string {
  const fields = fieldsOf(pid);
  return fields?.[0] === 'Z' ? 'ended' : (fields?.[19] ?? '');
}

export function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const current = startTimeOf(pid);
  return started === '' || current === '' || current === started;
}

/** Stopped by a terminal or a debugger: it runs on when it is told to. */
export function isSuspended(pid: number): boolean {
  return /^[Tt]/.test(fieldsOf(pid)?.[0] ?? '');
}

/** What the system tells of a process, beginning with its state. Undefined without such a process, or without /proc. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain any character, including blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

const LOOK_MS = 50;
const KILLED_MS = 1_000;

/** Kills the process with its group when it has not ended by then. */
export async function waitUntilEnded(
  { pid, started }: { pid: number; started: string },
  withinMs: number,
): Promise<void> {
  for (let waited = 0; isRunning(pid, started) && waited < withinMs + KILLED_MS; waited += LOOK_MS) {
    if (waited >= withinMs) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function kill(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has just ended, or has no group of its own.
    }
  }
}
