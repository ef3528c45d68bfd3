/** `castor batch list`, `status`, `watch`, `results` and `logs`: reads what batches did and do, and changes nothing. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { TaskFiles } from '@castor/batch';
import type { BatchStatus, TaskStatus } from '@castor/batch';
import { ExitCode } from '../../exit-codes.ts';
import { readableTime } from '../../readable-numbers.ts';
import { toJson } from '../../to-json.ts';
import { parseWords } from '../parse-words.ts';
import { ResultApplier } from './batch-apply.ts';
import { findBatch, statusOf } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import { BatchProblem } from './batch-problem.ts';
import { exitCodeOf } from './batch-end.ts';
import { followBatch } from './batch-follow.ts';
import { openView } from './batch-live.ts';
import { APPLY, parseWorking } from './batch-words.ts';
import type { ApplyKind } from './batch-words.ts';
import { describeForecast, describeProgress, describeResult, describeTable } from './batch-text.ts';

const LOOK_MS = 1_000;

export async function listBatches(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { isJson } = parse(argv, 'list', 0);
  await context.engine.recover();
  const batches = await context.engine.batches();
  if (isJson) await context.output.answer(`${toJson(batches, { indent: 2 })}\n`);
  else if (batches.length === 0) await context.output.answer('There is no batch yet.\n');
  else {
    const lines = batches.map(
      (each) =>
        `${each.id}  ${readableTime(each.createdAt)}  ${stateOf(each)}  ${each.title}  ${describeProgress(each)}\n`,
    );
    await context.output.answer(lines.join(''));
  }
  return ExitCode.Success;
}

export async function showStatus(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { operands, isJson } = parse(argv, 'status', 1);
  await context.engine.recover();
  const batch = await findBatch(context, operands[0]);
  const tasks = await context.engine.tasks(batch.id);
  if (isJson) {
    await context.output.answer(`${toJson({ ...batch, tasks }, { indent: 2 })}\n`);
    return ExitCode.Success;
  }
  const results = tasks.flatMap(({ result }) => (result ? [result] : []));
  const running = tasks.filter(({ state }) => state === 'running');
  const lines = [
    `${batch.id}  ${batch.title}  ${stateOf(batch)}`,
    ...running.map(({ task, startedAt }) => `● ${task.id}  running since ${readableTime(startedAt ?? Date.now())}`),
    ...(results.length > 0 ? [describeTable(batch, results).trimEnd()] : [describeProgress(batch)]),
  ];
  const left = describeForecast(batch, results, Math.max(1, running.length));
  await context.output.answer(`${[...lines, ...(left === undefined ? [] : [left])].join('\n')}\n`);
  return ExitCode.Success;
}

export async function watchBatch(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { operands } = parse(argv, 'watch', 1);
  const { id } = await findBatch(context, operands[0]);
  if (context.queue !== undefined) {
    const { status, isStopped } = await followBatch(id, parseWorking([], 'watch'), context);
    await context.output.answer(`${describeProgress(status)}\n`);
    return exitCodeOf(status, isStopped);
  }
  const { engine, output, interruption } = context;
  const { signal } = interruption;
  // In a terminal the live table, elsewhere a line for each result.
  const view = isatty(1) ? openView({ output, id, atOnce: 1, isQuiet: false }) : undefined;
  let seen = 0;
  await view?.begin(await statusOf(id, context), []);
  try {
    for (;;) {
      await engine.recover();
      const status = await statusOf(id, context);
      const fresh = await engine.results(id, seen);
      seen += fresh.length;
      for (const result of fresh)
        if (view) await view.show({ type: 'ended', batch: id, result }, status);
        else await output.answer(`${describeResult(result)}\n`);
      if (status.waiting + status.running === 0) {
        view?.end();
        await output.answer(`${describeProgress(status)}\n`);
        return status.ended['success'] === status.total ? ExitCode.Success : ExitCode.Failure;
      }
      if (status.running === 0) throw new BatchProblem(`No worker runs ${id}. To go on: castor batch resume ${id}`);
      if (view) view.update(status, await engine.tasks(id));
      await pause(signal);
      if (signal.aborted) return ExitCode.Interrupted;
    }
  } finally {
    view?.end();
  }
}

export async function printResults(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { operands, isJson, format, apply } = parse(argv, 'results', 1);
  const batch = await findBatch(context, operands[0]);
  const applier = new ResultApplier(apply, batch.id, context);
  const results = [];
  for (const result of await context.engine.results(batch.id, 0)) results.push(await applier.apply(result));
  if (format === 'text') await context.output.answer(describeTable(batch, results));
  else if (isJson) await context.output.answer(`${toJson(results, { indent: 2 })}\n`);
  else await context.output.answer(results.map((result) => `${toJson(result)}\n`).join(''));
  return applier.failures > 0 ? ExitCode.Failure : ExitCode.Success;
}

const MOST_NAMED = 10;

function nameSome(tasks: readonly TaskStatus[]): string {
  const names = tasks.slice(0, MOST_NAMED).map(({ task }) => task.id);
  const more = tasks.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

export async function printLogs(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const { operands, isJson } = parse(argv, 'logs', 2);
  const batch = await findBatch(context, operands.length > 1 ? operands[0] : undefined);
  const tasks = await context.engine.tasks(batch.id);
  const wanted = operands.at(-1);
  const found = tasks.find(({ task }) => task.id === wanted);
  if (wanted === undefined)
    throw new BatchProblem(`Name a task: castor batch logs ${batch.id} <task>. The batch has ${nameSome(tasks)}.`);
  if (!found) throw new BatchProblem(`${batch.id} has no task "${wanted}". castor batch logs <batch> <task>`);
  const files = filesOf(batch, found.task.id);
  const parts: [string, string][] = [
    ...files.runs().map((run): [string, string] => [`run ${run}`, files.log(run)]),
    ['stderr', files.errors],
    ['check', files.check],
  ];
  const { machine, refs } = found.result ?? {};
  if (!existsSync(files.directory) && machine !== undefined)
    context.output.note(`castor: the files of ${found.task.id} are ${refs ? `in ${refs.files}` : `on ${machine}`}.`);
  for (const [name, path] of parts) {
    const text = read(path);
    if (text !== '') await context.output.answer(isJson ? text : `── ${name}: ${path}\n${text.trimEnd()}\n`);
  }
  return ExitCode.Success;
}

/** On this machine, else where the workers of a queue put them. */
function filesOf({ id, options }: BatchStatus, task: string): TaskFiles {
  const own = new TaskFiles(options.directory, task);
  const { artifacts } = options;
  return artifacts?.kind === 'folder' && !existsSync(own.directory)
    ? new TaskFiles(join(artifacts.folder, id), task, '')
    : own;
}

function parse(argv: readonly string[], command: string, atMost: number) {
  const formats = ['text', 'jsonl', 'json'];
  const words = parseWords(argv, {
    command: `batch ${command}`,
    flags: ['--json'],
    valued: { '-o': formats, '--output-format': formats, ...(command === 'results' && { '--apply': APPLY }) },
  });
  if (typeof words === 'string') throw new BatchProblem(words);
  if (words.operands.length > atMost)
    throw new BatchProblem(`castor batch ${command} takes fewer words. castor batch --help shows it.`);
  const format = words.values.get('-o') ?? words.values.get('--output-format');
  const apply = words.values.get('--apply') as ApplyKind | undefined;
  return { operands: words.operands, isJson: words.flags.has('--json') || format === 'json', format, apply };
}

function stateOf({ state, waiting, running }: { state: string; waiting: number; running: number }): string {
  if (running > 0) return 'running';
  if (waiting === 0) return state === 'cancelled' ? 'cancelled' : 'ended';
  return state === 'open' ? 'interrupted' : state;
}

function read(path: string): string {
  try {
    return readFileSync(join(path), 'utf8');
  } catch {
    // That step did not happen.
    return '';
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
