/** How a batch tells its results and its end: lines for scripts, a table for people, the exit code. */

import type { BatchStatus, TaskResult } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { toJson } from '../../to-json.ts';
import type { BatchContext } from './batch-context.ts';
import { describeTable } from './batch-text.ts';
import type { BatchWords } from './batch-words.ts';

export interface WorkEnd {
  status: BatchStatus;
  results: TaskResult[];
  /** The user let the batch end before its last task. */
  isStopped: boolean;
}

export async function tellEnd(
  status: BatchStatus,
  results: readonly TaskResult[],
  words: BatchWords,
  { output, queue }: BatchContext,
): Promise<void> {
  if (words.format === 'json') await output.answer(`${toJson({ batch: status, results }, { indent: 2 })}\n`);
  if (words.format === 'text') await output.answer(describeTable(status, results));
  const left = status.waiting + status.running;
  // The workers of a queue go on without this program.
  if (left > 0 && queue === undefined)
    output.note(`castor: ${countOf(left, 'task')} left. To go on: castor batch resume ${status.id}`);
  else if (left === 0 && Object.keys(status.ended).some((each) => each !== 'success'))
    output.note(`castor: to run those again that did not succeed: castor batch retry ${status.id}`);
}

export function exitCodeOf({ waiting, running, ended, total }: BatchStatus, isStopped: boolean): ExitCode {
  if (waiting + running > 0) return isStopped ? ExitCode.Interrupted : ExitCode.Failure;
  if (ended['budget']) return ExitCode.Budget;
  return ended['success'] === total ? ExitCode.Success : ExitCode.Failure;
}
