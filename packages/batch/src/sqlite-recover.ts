/** Takes back what dead workers of the embedded engine held, inside the caller's transaction. */

import type { DatabaseSync } from 'node:sqlite';
import type { Spending } from './engine.ts';
import { prepared } from './prepared.ts';
import { largerSpending, spentByTask } from './spent-by-task.ts';
import { endWaiting } from './sqlite-claim.ts';
import { toClaim, toOptions } from './sqlite-rows.ts';
import type { BatchRow, TaskRow } from './sqlite-rows.ts';
import { account, endTask, isCancelled, SETTLED } from './sqlite-settle.ts';
import { abandonedResult, isPoisoned } from './unrun-result.ts';

type IsAlive = (pid: number, started: string) => boolean;

export interface Recovery {
  /** The worker that asks; empty for none. */
  self: string;
  now: number;
  isAlive: IsAlive;
}

/** Returns the number of tasks. One whose workers died too often ends with a result that says so. */
export function recoverTasks(database: DatabaseSync, { self, now, isAlive }: Recovery): number {
  const rows = prepared(database, `SELECT * FROM tasks WHERE state = 'running' AND worker IS NOT ?`).all(self);
  let count = 0;
  for (const row of rows as unknown as TaskRow[]) {
    const worker = prepared(database, 'SELECT pid, started FROM workers WHERE id = ?').get(row.worker ?? '');
    if (worker && isAlive(worker['pid'] as number, worker['started'] as string)) continue;
    count += 1;
    const { task } = toClaim(row, undefined);
    const spent = spentBy(database, row);
    const totals = account(database, row.batch, spent, row);
    if (isPoisoned(row.crashes + 1, task.tries)) {
      const known = { id: row.id, spent, failedTries: row.failed_tries, interruptions: row.interruptions + 1 };
      endTask(database, row.batch, abandonedResult(row.crashes + 1, { ...known, now }), totals);
      continue;
    }
    prepared(
      database,
      `UPDATE tasks SET state = 'waiting', interruptions = interruptions + 1, crashes = crashes + 1, ${SETTLED}
         WHERE batch = ? AND id = ?`,
    ).run(...totals, row.batch, row.id);
    if (isCancelled(database, row.batch)) endWaiting(database, row.batch, 'cancelled', now);
  }
  if (count > 0) forgetWorkers(database, isAlive);
  return count;
}

/** Of a dead worker's task: what it told, or what the logs say. */
function spentBy(database: DatabaseSync, row: TaskRow): Spending {
  const { batch, id, spent_cost: cost, is_cost_known: isKnown, spent_tokens: tokens } = row;
  const of = prepared(database, 'SELECT * FROM batches WHERE id = ?').get(batch) as BatchRow | undefined;
  const told = { cost: isKnown ? cost : null, tokens };
  return of ? largerSpending(told, spentByTask(toOptions(of).directory, id)) : told;
}

export function forgetWorkers(database: DatabaseSync, isAlive: IsAlive): void {
  const workers = prepared(database, 'SELECT * FROM workers').all();
  for (const { id, pid, started } of workers as unknown as { id: string; pid: number; started: string }[])
    if (!isAlive(pid, started)) prepared(database, 'DELETE FROM workers WHERE id = ?').run(id);
}
