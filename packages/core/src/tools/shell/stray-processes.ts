/**
 * Finding and signalling the processes of a command: its group, and those that left
 * the group but still carry the call's mark in their environment. Looks into /proc;
 * where there is none, only the group can be reached.
 */

import { readFile, readdir } from 'node:fs/promises';
import { CALL_MARK } from './child-environment.ts';

/** Of the kernel's flags: it is on its way out, its files are closed already, and nothing of it will run again. */
const EXITING = 0x4;

/** False when nobody is left in the group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // Anything but "no such process" means that somebody is there whom we may not signal.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself, which is what was wanted.
  }
}

/** Living members of the group, the smallest id first. */
export async function findGroupMembers(group: number): Promise<number[]> {
  return findProcesses(async (pid) => {
    const [state, , pgrp, , , , flags] = await readStat(pid);
    return pgrp === String(group) && state !== 'Z' && (Number(flags) & EXITING) === 0;
  });
}

/** Living processes whose mark is `mark`, or begins with it when it ends with a dot. */
export async function findMarkedProcesses(mark: string): Promise<number[]> {
  const wanted = `${CALL_MARK}=${mark}${mark.endsWith('.') ? '' : '\0'}`;
  return findProcesses(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    return environment.startsWith(wanted) || environment.includes(`\0${wanted}`);
  });
}

/** Kills what carries the mark until nothing does: a process may fork while we look. */
export async function killMarkedProcesses(mark: string): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const found = await findMarkedProcesses(mark);
    if (found.length === 0) return;
    for (const pid of found) signalProcess(pid, 'SIGKILL');
  }
}

async function findProcesses(isWanted: (pid: number) => Promise<boolean>): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // A process that ended meanwhile, or belongs to somebody else, cannot be read.
  const wanted = await Promise.all(pids.map((pid) => isWanted(pid).catch(() => false)));
  return pids.filter((pid, index) => wanted[index] && pid !== process.pid).sort((a, b) => a - b);
}

/** The fields from the state on; the name before them may hold spaces and brackets. */
async function readStat(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
