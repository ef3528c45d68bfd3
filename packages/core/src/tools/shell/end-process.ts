/** The end of a process that was started here, of its group, and of all that came from it. It waits, but never for ever. */

import type { ShellProcess } from './shell-process.ts';
import { findDescendants, killDescendants, killMarkedProcesses, signalGroup } from './stray-processes.ts';

/** Between asking a group to end and killing it. */
const GRACE_MS = 200;

/** SIGTERM to the group, SIGKILL to what is left of it and of the call. */
export async function endProcess(process: Pick<ShellProcess, 'pid' | 'finished'>, mark?: string): Promise<void> {
  const below = await findDescendants(process.pid);
  if (signalGroup(process.pid, 'SIGTERM')) {
    const deadline = performance.now() + GRACE_MS;
    await within(process.finished, GRACE_MS);
    while (signalGroup(process.pid, 0) && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    signalGroup(process.pid, 'SIGKILL');
  }
  await killDescendants(below);
  if (mark !== undefined) await killMarkedProcesses(mark);
}

/** Undefined when it takes longer. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
