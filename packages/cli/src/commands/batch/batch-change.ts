/** `castor batch cancel` and `clean`: ends a batch, or deletes an ended one with its files and worktrees. */

import { rmSync } from 'node:fs';
import { removeWorkplace, TaskFiles } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { parseWords } from '../parse-words.ts';
import { findBatch } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import { BatchProblem } from './batch-problem.ts';

export async function cancelBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const batch = await findBatch(context, operandOf(argv, 'cancel'));
  await context.engine.recover();
  if (batch.waiting + batch.running === 0)
    throw new BatchProblem(`Every task of ${batch.id} has ended; nothing is left to cancel.`);
  await context.engine.change(batch.id, 'cancelled');
  const running = batch.running > 0 ? `; ${countOf(batch.running, 'running task')} end now` : '';
  await context.output.answer(
    `${batch.id} is cancelled: ${countOf(batch.waiting, 'waiting task')} will not run${running}.\n`,
  );
  return ExitCode.Success;
}

export async function cleanBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { engine, environment } = context;
  await engine.recover();
  const batch = await findBatch(context, operandOf(argv, 'clean'));
  if (batch.running > 0) throw new BatchProblem(`${batch.id} still runs. To end it: castor batch cancel ${batch.id}`);
  for (const { task } of await engine.tasks(batch.id)) {
    const files = new TaskFiles(batch.options.directory, task.id);
    const workplace = files.readState()?.workplace;
    if (workplace) await removeWorkplace(workplace, { environment });
  }
  rmSync(batch.options.directory, { recursive: true, force: true });
  await engine.remove(batch.id);
  await context.output.answer(`${batch.id} is deleted, with its results and worktrees.\n`);
  return ExitCode.Success;
}

function operandOf(argv: readonly string[], command: string): string {
  const words = parseWords(argv, { command: `batch ${command}` });
  if (typeof words === 'string') throw new BatchProblem(words);
  const [batch, ...more] = words.operands;
  // Never the newest by default: this cannot be taken back.
  if (batch === undefined || more.length > 0) throw new BatchProblem(`Name the batch: castor batch ${command} <batch>`);
  return batch;
}
