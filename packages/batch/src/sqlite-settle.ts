/** How the embedded engine writes what a task has cost, and its end. Inside the caller's transaction. */

import type { DatabaseSync } from 'node:sqlite';
import type { Spending } from './engine.ts';
import { prepared } from './prepared.ts';
import type { TaskResult } from './task-result.ts';

/** What a task has cost: the amount, whether it is known, tokens. */
export type Totals = [cost: number, isKnown: number, tokens: number];

/** Takes the values of Totals. */
export const SETTLED =
  'worker = NULL, reserved_cost = 0, reserved_tokens = 0, spent_cost = ?, is_cost_known = ?, spent_tokens = ?';

/** Adds the growth of the task's total to its batch. Returns the total, which never falls: a full disk may have lost logs. */
export function account(
  database: DatabaseSync,
  batch: string,
  spent: Spending,
  before: { spent_cost: number; spent_tokens: number },
): Totals {
  const cost = Math.max(spent.cost ?? 0, before.spent_cost);
  const tokens = Math.max(spent.tokens, before.spent_tokens);
  const isKnown = spent.cost === null ? 0 : 1;
  prepared(
    database,
    `UPDATE batches SET spent_cost = spent_cost + ?, is_cost_known = is_cost_known AND ?, spent_tokens = spent_tokens + ?
       WHERE id = ?`,
  ).run(cost - before.spent_cost, isKnown, tokens - before.spent_tokens, batch);
  return [cost, isKnown, tokens];
}

export function endTask(database: DatabaseSync, batch: string, result: TaskResult, totals: Totals): void {
  prepared(
    database,
    `UPDATE tasks SET state = 'done', ${SETTLED}, status = ?, result = ?,
         sequence = (SELECT COALESCE(MAX(sequence), 0) + 1 FROM tasks WHERE batch = ? AND sequence IS NOT NULL) WHERE batch = ? AND id = ?`,
  ).run(...totals, result.status, JSON.stringify(result), batch, batch, result.id);
}

export function isCancelled(database: DatabaseSync, batch: string): boolean {
  return prepared(database, 'SELECT state FROM batches WHERE id = ?').get(batch)?.['state'] === 'cancelled';
}
