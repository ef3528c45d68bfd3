/** What a task has spent on this machine, by the logs of all its runs: also of one whose worker and program died before they told. */

import type { Spending } from './engine.ts';
import { RunLog } from './run-log.ts';
import { TaskFiles } from './task-files.ts';

/** Nothing, for a task that never ran here. */
export function spentByTask(batchDirectory: string, task: string): Spending {
  const files = new TaskFiles(batchDirectory, task);
  return sumSpending(
    files.runs().map((run) => {
      const log = new RunLog(files.log(run));
      log.read();
      return log.spent;
    }),
  );
}

export function sumSpending(all: readonly Spending[]): Spending {
  return {
    cost: all.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The larger of two totals of the same task: what was told before may be gone from the disk. */
export function largerSpending(one: Spending, other: Spending): Spending {
  const cost = one.cost === null || other.cost === null ? null : Math.max(one.cost, other.cost);
  return { cost, tokens: Math.max(one.tokens, other.tokens) };
}
