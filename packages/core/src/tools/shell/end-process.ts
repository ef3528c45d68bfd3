/** Ends a process started here, its group and all its descendants. It waits for a limited time. */

import type { ShellProcess } from './shell-process.ts';
import { findDescendants, killDescendants, killMarkedProcesses, signalGroup } from './stray-processes.ts';

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 200;

/** Sends SIGTERM to the group, then SIGKILL to the rest of the group and of the call. */
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
  killDescendants(below);
  if (mark !== undefined) await killMarkedProcesses(mark);
}

/** Undefined when the promise takes longer. */
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
