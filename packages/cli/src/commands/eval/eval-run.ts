/** `castor eval run` and `resume`: submits every try as a task of a batch, works until none is left, writes the results. */

import { join, relative } from 'node:path';
import type { TaskResult } from '@castor/batch';
import { ExitCode } from '../../exit-codes.ts';
import { createMask } from '../../mask-secrets.ts';
import { toJson } from '../../to-json.ts';
import { BatchProblem, deadlineAfter, findBatch } from '../batch/batch-context.ts';
import type { BatchContext } from '../batch/batch-context.ts';
import { newId, warnOfChanges, workUntilDone } from '../batch/batch-run.ts';
import type { BatchWords } from '../batch/batch-words.ts';
import { commitOf, hasPlan, planTasks, readPlan, writePlan } from './eval-plan.ts';
import type { EvalPlan } from './eval-plan.ts';
import { FORMAT, writeResults } from './eval-results.ts';
import type { EvalResults, EvalRun } from './eval-results.ts';
import { countTries, describeSummaries } from './eval-text.ts';
import { parseEvalRun, parseEvalWorking } from './eval-words.ts';
import { causeOf } from './failure-cause.ts';
import { summarise } from './summarise.ts';

declare const CASTOR_VERSION: string;

export async function runEval(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseEvalRun(argv, context.cwd);
  const { suite, limits, taskLimits, least } = words;
  const id = newId();
  const directory = join(context.directory, id);
  const { artifacts } = words;
  const shared = artifacts?.kind === 'folder' ? join(artifacts.folder, id) : undefined;
  const { tasks, runs, models } = await planTasks(suite, taskLimits, { directory, shared, context });
  await warnOfChanges(tasks, context);
  const commit = await commitOf(suite.directory, context.environment);
  writePlan(directory, {
    ...{ suite: suite.name, createdAt: new Date().toISOString(), models, tries: suite.tries, runs },
    ...(commit !== undefined && { commit }),
    prompts: suite.prompts.map(({ name }) => name),
    tasks: Object.fromEntries(suite.tasks.map(({ name, fingerprint }) => [name, fingerprint])),
    save: words.save ?? join(suite.directory, 'results', `${id}.json`),
    ...(least !== undefined && { least }),
  });
  await context.engine.submit({
    ...{ id, title: `eval ${suite.name}`, tasks, priority: 0 },
    options: { flags: suite.flags, isInPlace: false, directory, ...(artifacts && { artifacts }) },
    limits: {
      ...{ cost: limits.cost, tokens: limits.tokens },
      deadline: deadlineAfter(limits.timeMs, context),
    },
  });
  return finish(id, words, context);
}

export async function resumeEval(argv: readonly string[], context: BatchContext): Promise<ExitCode> {
  const words = parseEvalWorking(argv, 'resume');
  const id = words.operands[0] ?? (await newestEval(context));
  const batch = await findBatch(context, id);
  if (!hasPlan(batch.options.directory))
    throw new BatchProblem(`${batch.id} is a batch, not an eval. To go on: castor batch resume ${batch.id}`);
  await context.engine.change(batch.id, 'open');
  return finish(batch.id, words, context);
}

async function newestEval({ engine }: BatchContext): Promise<string> {
  const evals = (await engine.batches()).filter(({ options }) => hasPlan(options.directory));
  const newest = evals.findLast(({ waiting, running }) => waiting + running > 0) ?? evals.at(-1);
  if (!newest) throw new BatchProblem('There is no eval yet. To run one: castor eval run <folder>');
  return newest.id;
}

async function finish(id: string, words: BatchWords, context: BatchContext): Promise<ExitCode> {
  const { output } = context;
  // Only the results of the eval go to stdout.
  const { status, results, isStopped } = await workUntilDone(id, words, context);
  const left = status.waiting + status.running;
  if (left > 0) {
    output.note(`castor: ${countTries(left)} left. To go on: castor eval resume ${id}`);
    return isStopped ? ExitCode.Interrupted : ExitCode.Failure;
  }
  const plan = readPlan(status.options.directory);
  const evaluated = resultsOf(plan, results, context);
  writeResults(plan.save, evaluated);
  const summaries = summarise(evaluated);
  const near = relative(context.cwd, plan.save);
  const file = near.startsWith('..') ? plan.save : near;
  if (words.format === 'json') await output.answer(`${toJson({ file, ...evaluated, summaries }, { indent: 2 })}\n`);
  else await output.answer(describeSummaries(evaluated, summaries));
  output.note(`castor: the results are in ${file}`);
  if (summaries.some(({ failures }) => failures.length > 0))
    output.note(`castor: what a try wrote: castor batch logs ${id} <try>; the tries: castor batch results ${id}`);
  if (status.ended['budget']) return ExitCode.Budget;
  return isBelow(plan, evaluated, context) ? ExitCode.Failure : ExitCode.Success;
}

/** Every model with every prompt has to reach the share. */
function isBelow({ least }: EvalPlan, results: EvalResults, { output }: BatchContext): boolean {
  if (least === undefined) return false;
  const below = summarise(results).filter(({ passed }) => (passed?.rate ?? 0) < least);
  for (const { model, prompt, passed } of below)
    output.note(
      `castor: ${model} with ${prompt} passed ${percent(passed?.rate ?? 0)} of the tries; --min-pass asks for ${percent(least)}.`,
    );
  return below.length > 0;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function resultsOf(plan: EvalPlan, results: readonly TaskResult[], { environment }: BatchContext): EvalResults {
  const mask = createMask(environment);
  const runs = results.flatMap((result): EvalRun[] => {
    const about = plan.runs[result.id];
    if (!about) return [];
    const cause = causeOf(result, (text) => String(mask('', text)));
    const { status, cost_usd, tokens, turns = 0, duration_ms = 0 } = result;
    return [{ ...about, status, ...(cause !== undefined && { cause }), cost_usd, tokens, turns, duration_ms }];
  });
  const { suite, createdAt, commit, models, prompts, tries, tasks } = plan;
  return {
    ...{ format: FORMAT, suite, created_at: createdAt, castor: CASTOR_VERSION },
    ...(commit !== undefined && { commit }),
    ...{ models, prompts, tries, tasks, runs },
  };
}
