/**
 * Finds and signals the processes of a command: its group, its descendants, and processes
 * that left both but still carry the call's mark in their environment. It reads /proc;
 * without it, only the group can be reached. Its files are in memory: a synchronous read of
 * each takes a tenth of the time that handing it to another thread does.
 */

import { readFileSync, readdirSync } from 'node:fs';
import { CALL_MARK } from './child-environment.ts';
import { limitInBytes } from './limit-mark.ts';

/** Kernel flag of an exiting process: its files are already closed, and none of its code will run again. */
const EXITING = 0x4;
const KERNEL_THREAD = 0x200000;
/** A third of a second in total. */
const MOST_LOOKS = 30;
const LOOK_AGAIN_MS = 10;

/** False when the group is empty. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // Any error except "no such process" means a process that we may not signal.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself, as intended.
  }
}

/** Living members of the group, the smallest id first. */
export async function findGroupMembers(group: number): Promise<number[]> {
  return findProcesses(async (pid) => {
    const [state, , pgrp, , , , flags] = readStat(pid);
    return pgrp === String(group) && state !== 'Z' && (Number(flags) & EXITING) === 0;
  });
}

/** Living processes whose mark is `mark`, or begins with it when it ends with a dot. */
export async function findMarkedProcesses(mark: string): Promise<number[]> {
  const wanted = `${CALL_MARK}=${mark}${mark.endsWith('.') ? '' : '\0'}`;
  return findProcesses(async (pid) => {
    const environment = await readEnvironment(pid);
    return environment.startsWith(wanted) || environment.includes(`\0${wanted}`);
  });
}

/** Processes whose limit of resident memory is this many kilobytes. */
async function findLimitedProcesses(limitMark: number): Promise<number[]> {
  const limit = new RegExp(`^Max resident set +${limitInBytes(limitMark)} `, 'm');
  return findProcesses(async (pid) => limit.test(read(pid, 'limits')));
}

/** Kills processes with the mark or the limit until none is left: a process may fork during the scan. */
export async function killMarkedProcesses(mark: string, limitMark?: number): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const limited = limitMark === undefined ? [] : await findLimitedProcesses(limitMark);
    const found = [...(await findMarkedProcesses(mark)), ...limited];
    if (found.length === 0) return;
    for (const pid of found) signalProcess(pid, 'SIGKILL');
  }
}

export interface Descendant {
  pid: number;
  /** Its start time in ticks: the id may later belong to another process. */
  born: string;
}

/** All descendants of the process, whatever their group, session or environment is by now. */
export async function findDescendants(root: number): Promise<Descendant[]> {
  const parents = new Map<number, { parent: number; born: string }>();
  await findProcesses(async (pid) => {
    const stat = readStat(pid);
    parents.set(pid, { parent: Number(stat[1]), born: stat[BORN] ?? '' });
    return false;
  });
  const isBelow = (pid: number, depth = 0): boolean => {
    const parent = parents.get(pid)?.parent;
    return parent === root || (parent !== undefined && depth < 64 && isBelow(parent, depth + 1));
  };
  return [...parents].filter(([pid]) => isBelow(pid)).map(([pid, { born }]) => ({ pid, born }));
}

/** The index of the start time among the fields from the state on. */
const BORN = 19;

export function killDescendants(found: readonly Descendant[]): void {
  for (const { pid, born } of found) {
    if (bornAt(pid) === born) signalProcess(pid, 'SIGKILL');
  }
}

function bornAt(pid: number): string | undefined {
  try {
    return readStat(pid)[BORN];
  } catch {
    // It ended by itself.
    return undefined;
  }
}

async function findProcesses(isWanted: (pid: number) => Promise<boolean>): Promise<number[]> {
  const pids = listNames()
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  // A process that ended meanwhile, or belongs to another user, is unreadable.
  const wanted = await Promise.all(pids.map((pid) => isWanted(pid).catch(() => false)));
  return pids.filter((pid, index) => wanted[index] && pid !== process.pid).sort((a, b) => a - b);
}

/**
 * During exec a process has no environment for a moment, which lasts longer on a busy
 * machine: it is read again; otherwise it would count as a foreign process and survive.
 */
async function readEnvironment(pid: number): Promise<string> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const environment = read(pid, 'environ');
    if (environment !== '' || isWithoutProgram(pid)) return environment;
    // It has its arguments, so it also has its environment by now; the first read may have seen the previous program.
    if (read(pid, 'cmdline') !== '') return read(pid, 'environ');
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return '';
}

/** Whether it is a kernel thread or exiting. */
function isWithoutProgram(pid: number): boolean {
  const [state, , , , , , flags] = readStat(pid);
  return state === 'Z' || (Number(flags) & (EXITING | KERNEL_THREAD)) !== 0;
}

/** The fields from the state on; the name before them may contain spaces and brackets. */
function readStat(pid: number): string[] {
  const text = read(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(pid: number, name: 'cmdline' | 'environ' | 'limits' | 'stat'): string {
  return readFileSync(`/proc/${pid}/${name}`, 'latin1');
}

/** Empty on systems without /proc. */
function listNames(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}
