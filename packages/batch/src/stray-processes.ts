/**
 * Kills what a task left running outside its groups: processes that carry the task's mark in their environment. It reads /proc, whose files
 * are in memory; without it, only groups are reached.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { TASK_VARIABLE } from './lifeline.ts';

/** A process may fork while the others are read. */
const MOST_ROUNDS = 5;

/** The value of `TASK_VARIABLE`, the same for every worker of the task. */
export function markOf({ batch, task }: { batch: string; task: { id: string } }): string {
  return `${batch}/${task.id}`;
}

export function killStrays(mark: string): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = marked(`${TASK_VARIABLE}=${mark}\0`);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
}

function marked(entry: string): number[] {
  const pids = names().filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && `\0${environmentOf(pid)}`.includes(`\0${entry}`));
}

/** Empty for a process of another user, one that has ended, and for a moment while one becomes another program. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function names(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    // A system without it.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
