/**
 * What a command leaves behind when its shell has exited: the words that announce it, and
 * the processes themselves.
 */

import type { ShellProcess } from './shell-process.ts';
import { findGroupMembers, findMarkedProcesses, signalGroup } from './stray-processes.ts';

/** Words of something that may leave the group and write nowhere: `setsid server >log 2>&1 &`. */
const DAEMON = /\bsetsid\b|daemon/i;
const JOB = /(?<![&>|<])&(?![&>])/;

export function mayStartDaemon(command: string): boolean {
  return DAEMON.test(command);
}

/** Looking at every process of the machine takes a while: only where one may be left. */
export async function findLeftBehind(command: string, process: ShellProcess, mark: string): Promise<number[]> {
  const mayDetach = DAEMON.test(command) || JOB.test(command);
  if (!mayDetach && process.isOutputClosed() && !signalGroup(process.pid, 0)) return [];
  const found = await Promise.all([findGroupMembers(process.pid), findMarkedProcesses(mark)]);
  return [...new Set(found.flat())].filter((pid) => pid !== process.pid).sort((a, b) => a - b);
}
