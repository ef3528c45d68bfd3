/** `castor batch run`, `resume` and `retry`: submits tasks, works until none is left, shows progress, tells the result. */

import { join } from 'node:path';
import { uncommittedChanges, work } from '@castor/batch';
import type { BatchStatus, TaskResult } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { toJson } from '../../to-json.ts';
import { applyResult } from './batch-apply.ts';
import { BatchProblem, findBatch } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import { openView } from './batch-live.ts';
import { describeTable } from './batch-text.ts';
import { parseRun, parseWorking } from './batch-words.ts';
import type { BatchWords } from './batch-words.ts';

export async function runBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseRun(argv, context.cwd);
  const { tasks, title, priority, isInPlace, limits, flags } = words;
  if (!isInPlace) await warnOfChanges(tasks, context);
  const id = newId();
  await context.engine.submit({
    ...{ id, title, tasks, priority },
    options: { flags, isInPlace, directory: join(context.directory, id) },
    limits: {
      ...{ cost: limits.cost, tokens: limits.tokens },
      deadline: limits.timeMs === undefined ? undefined : Date.now() + limits.timeMs,
    },
  });
  return workOn(id, words, context);
}

export async function resumeBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseWorking(argv, 'resume');
  const batch = await findBatch(context, words.operands[0]);
  if (batch.waiting + batch.running === 0)
    throw new BatchProblem(
      `Every task of ${batch.id} has ended. To run those again that did not succeed: castor batch retry ${batch.id}`,
    );
  await context.engine.change(batch.id, 'open');
  return workOn(batch.id, words, context);
}

export async function retryBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseWorking(argv, 'retry');
  const [wanted, ...ids] = words.operands;
  const batch = await findBatch(context, wanted);
  const known = new Set((await context.engine.tasks(batch.id)).map(({ task }) => task.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new BatchProblem(`${batch.id} has no task "${unknown}". castor batch results ${batch.id} names them.`);
  const count = await context.engine.retry(batch.id, ids.length > 0 ? ids : undefined);
  if (count === 0) throw new BatchProblem(`No task of ${batch.id} is to be run again.`);
  context.output.note(`castor: ${countOf(count, 'task')} of ${batch.id} run again.`);
  return workOn(batch.id, words, context);
}

async function workOn(id: string, words: BatchWords, context: BatchContext): Promise<ExitCode> {
  const { status, results, isStopped } = await workUntilDone(id, words, context);
  await tellEnd(status, results, words, context);
  return exitCodeOf(status, isStopped);
}

export interface WorkEnd {
  status: BatchStatus;
  results: TaskResult[];
  /** The user let the batch end before its last task. */
  isStopped: boolean;
}

/** Shows progress, and prints results as they come where another program reads them. */
export async function workUntilDone(id: string, words: BatchWords, context: BatchContext): Promise<WorkEnd> {
  const { engine, output, interruption, program, environment } = context;
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const view = openView({ output, id, atOnce: words.concurrency, isQuiet: words.format !== 'text' });
  interruption.postpone = (signal) => {
    if (signal !== 'SIGINT') return false;
    if (stop.signal.aborted) {
      cancel.abort();
      view.say('Interrupting the running tasks. Their sessions stay.');
    } else {
      stop.abort();
      view.say('No further task starts; running ones finish. Ctrl+C again interrupts them.');
    }
    return true;
  };
  // Any other signal ends the process soon: the tasks end with it and keep their place.
  interruption.signal.addEventListener('abort', () => [stop, cancel].forEach((each) => each.abort()), { once: true });
  const seen: TaskResult[] = await engine.results(id, 0);
  await view.begin(await statusOf(id, context), seen);
  const identity = { id: `${process.pid}-${Date.now().toString(36)}`, labels: [] };
  const worker = work({
    ...{ engine, identity, program, environment, batch: id, concurrency: words.concurrency, isKept: words.isKept },
    ...{ stop: stop.signal, cancel: cancel.signal },
  });
  let told = seen.length;
  /** Also the results of other workers, and of tasks that ended without being run. */
  const tellResults = async () => {
    const fresh = await engine.results(id, told);
    told += fresh.length;
    for (const result of fresh) {
      const applied = await applyResult(result, words.apply, { context, batch: id });
      if (words.format === 'jsonl') await output.answer(`${toJson(applied)}\n`);
    }
  };
  for await (const event of worker) {
    if (event.type === 'ended') await tellResults();
    if (event.type !== 'progress' || view.isLive) await view.show(event, await statusOf(id, context));
  }
  await tellResults();
  const status = await statusOf(id, context);
  const results = await engine.results(id, 0);
  view.end();
  return { status, results, isStopped: stop.signal.aborted };
}

async function tellEnd(
  status: BatchStatus,
  results: TaskResult[],
  words: BatchWords,
  { output }: BatchContext,
): Promise<void> {
  if (words.format === 'json') await output.answer(`${toJson({ batch: status, results }, { indent: 2 })}\n`);
  if (words.format === 'text') await output.answer(describeTable(status, results));
  const left = status.waiting + status.running;
  if (left > 0) output.note(`castor: ${countOf(left, 'task')} left. To go on: castor batch resume ${status.id}`);
  else if (Object.keys(status.ended).some((each) => each !== 'success'))
    output.note(`castor: to run those again that did not succeed: castor batch retry ${status.id}`);
}

function exitCodeOf({ waiting, running, ended, total }: BatchStatus, isStopped: boolean): ExitCode {
  if (waiting + running > 0) return isStopped ? ExitCode.Interrupted : ExitCode.Failure;
  if (ended['budget']) return ExitCode.Budget;
  return ended['success'] === total ? ExitCode.Success : ExitCode.Failure;
}

async function statusOf(id: string, { engine }: BatchContext): Promise<BatchStatus> {
  const found = (await engine.batches()).find((batch) => batch.id === id);
  if (!found) throw new BatchProblem(`The batch ${id} was deleted while it ran.`);
  return found;
}

/** A worktree begins with a commit: what is not committed is missing there. */
export async function warnOfChanges(
  tasks: readonly { place: { kind: string; folder?: string }; ref?: string }[],
  context: BatchContext,
) {
  const folders = new Set(
    tasks.flatMap(({ place, ref }) => (ref === undefined && place.folder !== undefined ? [place.folder] : [])),
  );
  for (const folder of folders) {
    const changed = await uncommittedChanges(folder, { environment: context.environment });
    if (changed.length > 0)
      context.output.note(
        `castor: warning: ${folder} has ${countOf(changed.length, 'uncommitted change')}; the tasks begin with HEAD, without them.`,
      );
  }
}

/** Sorts by time; short enough to type. */
export function newId(): string {
  const now = new Date();
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const random = Math.floor(Math.random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `b${day}-${pad(now.getHours())}${pad(now.getMinutes())}-${random}`;
}
