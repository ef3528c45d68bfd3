/** `castor batch run`, `resume` and `retry`: submits tasks, works until none is left, shows progress, tells the result. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TASK_VARIABLE, uncommittedChanges, work } from '@castor/batch';
import type { Task, TaskResult } from '@castor/batch';
import { getErrorMessage } from '@castor/core';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { findInstalledExtensions } from '../../start/installed-extensions.ts';
import { kindOfSandbox } from '../../start/sandbox.ts';
import { loadTrustedConfiguration } from '../../start/start.ts';
import { toJson } from '../../to-json.ts';
import { ResultApplier } from './batch-apply.ts';
import { exitCodeOf, tellEnd } from './batch-end.ts';
import type { WorkEnd } from './batch-end.ts';
import { deadlineAfter, findBatch, statusOf } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import { BatchProblem } from './batch-problem.ts';
import { checkPlaces, leaveOutUnknown } from './check-tasks.ts';
import { followBatch } from './batch-follow.ts';
import { sandboxFlags } from './batch-sandbox.ts';
import { openView } from './batch-live.ts';
import { parseRun, parseWorking } from './batch-words.ts';
import type { BatchWords } from './batch-words.ts';

export async function runBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseRun(argv, context.cwd);
  const { title, priority, isInPlace, limits, flags } = words;
  if (words.isDetached && context.queue === undefined)
    throw new BatchProblem(
      '--detach needs a queue, whose workers run the tasks: castor batch run --queue <address> --detach',
    );
  await checkPlaces(words.tasks, isInPlace, context);
  const isChosen = words.isOver && !isInPlace && context.queue === undefined;
  const tasks = isChosen ? await leaveOutUnknown(words.tasks, context) : words.tasks;
  if (!isInPlace) await warnOfChanges(tasks, context);
  const id = newId();
  const sandboxed = await withSandbox(flags, context);
  await context.engine.submit({
    ...{ id, title, tasks: tasks.map(withSchema), priority },
    options: { flags: sandboxed, isInPlace, directory: join(context.directory, id), artifacts: words.artifacts },
    limits: {
      ...{ cost: limits.cost, tokens: limits.tokens },
      deadline: deadlineAfter(limits.timeMs, context),
    },
  });
  return workOn(id, words, context);
}

/** A sandbox that the settings ask for is written down: the worker puts the checks of tasks into it as well. */
async function withSandbox(flags: string[], { cwd, home, environment }: BatchContext): Promise<string[]> {
  if (flags.some((flag) => SANDBOX_FLAG.test(flag))) return flags;
  const installed = await findInstalledExtensions({ home, cwd });
  const { configuration } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
  return kindOfSandbox({ args: {}, ...configuration }) === undefined ? flags : [...flags, '--sandbox'];
}

const SANDBOX_FLAG = /^(?:-s|--(?:no-)?sandbox)(?:=|$)/;

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
  if (words.isDetached && context.queue !== undefined) {
    await context.output.answer(`${id}\n`);
    return ExitCode.Success;
  }
  const { status, results, isStopped } = await workUntilDone(id, words, context);
  await tellEnd(status, results, words, context);
  return exitCodeOf(status, isStopped);
}

/** Shows progress, and prints results as they come where another program reads them. */
export async function workUntilDone(id: string, words: BatchWords, context: BatchContext): Promise<WorkEnd> {
  // Workers of a queue run the tasks: this program follows them, and may end before them.
  if (context.queue !== undefined) return followBatch(id, words, context);
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
  let status = await statusOf(id, context);
  await view.begin(status, seen);
  // A batch inside a task would wait for the place that the task has.
  const places = environment[TASK_VARIABLE] === undefined ? words.concurrency : undefined;
  const identity = { id: `${process.pid}-${Date.now().toString(36)}`, labels: [], places };
  const worker = work({
    ...{ engine, identity, program, environment, batch: id, concurrency: words.concurrency, isKept: words.isKept },
    ...{ sandboxFlags: await sandboxFlags(context), stop: stop.signal, cancel: cancel.signal },
    isWatched: view.isLive,
  });
  const applier = new ResultApplier(words.apply, id, context);
  let told = seen.length;
  /** Also the results of other workers, and of tasks that ended without being run. */
  const tellResults = async () => {
    const fresh = await engine.results(id, told);
    told += fresh.length;
    for (const result of fresh) {
      const applied = await applier.apply(result);
      if (words.format === 'jsonl') await output.answer(`${toJson(applied)}\n`);
    }
  };
  for await (const event of worker) {
    if (event.type === 'ended' && (words.format === 'jsonl' || words.apply !== undefined)) await tellResults();
    // Only these lines tell how the batch stands.
    if (event.type === 'ended' || (view.isLive && event.type !== 'progress')) status = await statusOf(id, context);
    await view.show(event, status);
  }
  await tellResults();
  status = await statusOf(id, context);
  const results = await engine.results(id, 0);
  view.end();
  return { status, results, isStopped: stop.signal.aborted };
}

/** A worker may be on another machine, or run after the file has changed. Throws BatchProblem. */
function withSchema(task: Task): Task {
  if (task.schema === undefined) return task;
  try {
    return { ...task, schemaText: readFileSync(task.schema, 'utf8') };
  } catch (error) {
    throw new BatchProblem(`The schema of ${task.id} cannot be read: ${getErrorMessage(error)}`, ExitCode.Input);
  }
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
