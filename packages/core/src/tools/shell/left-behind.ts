/**
 * Detects what a command leaves behind after its shell exits: the words in the command
 * that announce it, and the processes themselves.
 */

import type { ShellProcess } from './shell-process.ts';
import { findGroupMembers, findMarkedProcesses, signalGroup } from './stray-processes.ts';

/** Words of a command that may leave the group and write nowhere: `setsid server >log 2>&1 &`. */
const DAEMON = /\bsetsid\b|daemon/i;
const JOB = /(?<![&>|<])&(?![&>])/;

export function mayStartDaemon(command: string): boolean {
  return DAEMON.test(command);
}

/** Scans all processes of the machine, which is slow, only when one may be left. */
export async function findLeftBehind(command: string, process: ShellProcess, mark: string): Promise<number[]> {
  const mayDetach = DAEMON.test(command) || JOB.test(command);
  if (!mayDetach && process.isOutputClosed() && !signalGroup(process.pid, 0)) return [];
  const found = await Promise.all([findGroupMembers(process.pid), findMarkedProcesses(mark)]);
  return [...new Set(found.flat())].filter((pid) => pid !== process.pid).sort((a, b) => a - b);
}
