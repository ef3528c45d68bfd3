/** Results of tasks that no run ended: cancelled, without budget, or given up because their workers died. Pure. */

import type { Spending } from './engine.ts';
import type { TaskResult } from './task-result.ts';

/** What is known of such a task. */
export interface UnrunTask {
  id: string;
  spent: Spending;
  failedTries: number;
  interruptions: number;
  now: number;
}

export function unrunResult(status: 'cancelled' | 'budget', task: UnrunTask): TaskResult {
  const [type, why] =
    status === 'cancelled'
      ? ['CancelledError', 'The batch was cancelled']
      : ['BudgetExceededError', 'The budget of the batch was spent'];
  return ended(status, { type, message: `${why} before the task ended.` }, task.failedTries, task);
}

/** A worker that died with a task may have died of it. */
const MAX_CRASHES = 3;

/** After so many deaths of workers in a row a task is given up. */
export function isPoisoned(crashes: number, tries: number): boolean {
  return crashes >= Math.max(MAX_CRASHES, tries);
}

export function abandonedResult(crashes: number, task: UnrunTask): TaskResult {
  const message = `The task was given up: ${crashes} workers died with it, one after the other.`;
  const result = ended('crashed', { type: 'WorkerDiedError', message }, task.failedTries + 1, task);
  return { ...result, interruptions: task.interruptions };
}

function ended(
  status: TaskResult['status'],
  error: { type: string; message: string },
  tries: number,
  { id, spent, now }: UnrunTask,
): TaskResult {
  const ended_at = new Date(now).toISOString();
  return { id, status, error, cost_usd: spent.cost, tokens: spent.tokens, tries, ended_at };
}
