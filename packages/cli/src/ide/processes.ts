/** Whether a process lives, and which processes started this one; as far as the system tells without a program. */

import { readFileSync } from 'node:fs';

const MAX_DEPTH = 32;

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** From the parent up; elsewhere than on Linux only the parent. */
export function ancestorsOf(pid: number): number[] {
  const found: number[] = [];
  for (let current = pid; found.length < MAX_DEPTH;) {
    const parent = current === process.pid ? process.ppid : parentOf(current);
    if (parent === undefined || parent <= 1) break;
    found.push(parent);
    current = parent;
  }
  return found;
}

function parentOf(pid: number): number | undefined {
  try {
    // The name in brackets may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1]);
  } catch {
    return undefined;
  }
}
