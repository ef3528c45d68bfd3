/** Figures of an eval, for each model with each prompt: how often it passes and how sure that is, what it needs, why it fails. Pure. */

import type { EvalResults, EvalRun } from './eval-results.ts';
import { passAtK, passRate } from './statistics.ts';
import type { Rate, Tries } from './statistics.ts';

export interface Summary {
  model: string;
  prompt: string;
  /** Undefined when no try was judged. */
  passed: Rate | undefined;
  tries: Tries;
  /** By the number of tries. */
  passAt: Record<string, number>;
  /** Means of one try; null where unknown. */
  cost_usd: number | null;
  /** Of one success: what the failures cost is part of it. */
  cost_per_success_usd: number | null;
  duration_ms: number | null;
  tokens: number | null;
  turns: number | null;
  failures: FailureGroup[];
  flips: Flip[];
  /** Tries that neither passed nor failed: the budget was spent, or the run was cancelled. */
  unjudged: number;
}

export interface FailureGroup {
  cause: string;
  count: number;
  tasks: string[];
}

/** A task that passes in some tries and fails in others. */
export interface Flip extends Tries {
  task: string;
}

const UNJUDGED = new Set(['budget', 'cancelled']);

/** In the order of the models and prompts that were asked for, whichever ended first. */
export function summarise({
  runs,
  models = [],
  prompts = [],
}: Pick<EvalResults, 'runs'> & Partial<Pick<EvalResults, 'models' | 'prompts'>>): Summary[] {
  const place = ({ model, prompt }: Summary) => models.indexOf(model) * prompts.length + prompts.indexOf(prompt);
  const all = [...groupBy(runs, variantOf).values()].map(summariseVariant);
  return all.sort((one, other) => place(one) - place(other));
}

export function variantOf({ model, prompt }: Pick<EvalRun, 'model' | 'prompt'>): string {
  return `${model}\0${prompt}`;
}

export function isJudged({ status }: EvalRun): boolean {
  return !UNJUDGED.has(status);
}

export function triesByTask(runs: readonly EvalRun[]): Map<string, Tries> {
  const judged = groupBy(runs.filter(isJudged), ({ task }) => task);
  return new Map([...judged].map(([task, tries]) => [task, countOf(tries)]));
}

function summariseVariant(runs: readonly EvalRun[]): Summary {
  const { model = '', prompt = '' } = runs[0] ?? {};
  const judged = runs.filter(isJudged);
  const tasks = triesByTask(runs);
  const tries = countOf(judged);
  const cost = sumOf(judged.map(({ cost_usd: each }) => each));
  return {
    ...{ model, prompt, tries, unjudged: runs.length - judged.length },
    passed: passRate([...tasks.values()]),
    passAt: passAtEach([...tasks.values()]),
    cost_usd: cost === null || judged.length === 0 ? null : dollars(cost / judged.length),
    cost_per_success_usd: cost === null || tries.passed === 0 ? null : dollars(cost / tries.passed),
    duration_ms: meanOf(judged, 'duration_ms'),
    tokens: meanOf(judged, 'tokens'),
    turns: meanOf(judged, 'turns'),
    failures: groupFailures(judged),
    flips: [...tasks].flatMap(([task, each]) =>
      each.passed > 0 && each.passed < each.total ? [{ task, ...each }] : [],
    ),
  };
}

/** 1, 2, 3, 5, 10, …, and the number of tries itself. */
function passAtEach(tasks: readonly Tries[]): Record<string, number> {
  const most = Math.max(0, ...tasks.map(({ total }) => total));
  const wanted = [1, 2, 3, 5, 10, 20, 50].filter((k) => k < most);
  const all = most > 0 ? [...wanted, most] : [];
  return Object.fromEntries(
    all.flatMap((k) => {
      const chance = passAtK(tasks, k);
      return chance === undefined ? [] : [[String(k), chance]];
    }),
  );
}

function groupFailures(runs: readonly EvalRun[]): FailureGroup[] {
  const failed = runs.filter(({ status }) => status !== 'success');
  const groups = [...groupBy(failed, ({ cause, status }) => cause ?? status)].map(([cause, each]) => ({
    ...{ cause, count: each.length, tasks: [...new Set(each.map(({ task }) => task))].sort() },
  }));
  return groups.sort((one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1));
}

function countOf(runs: readonly EvalRun[]): Tries {
  return { passed: runs.filter(({ status }) => status === 'success').length, total: runs.length };
}

/** Without the last digits of a sum of fractions. */
function dollars(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}

function meanOf(runs: readonly EvalRun[], name: 'duration_ms' | 'tokens' | 'turns'): number | null {
  return runs.length === 0 ? null : runs.reduce((sum, run) => sum + run[name], 0) / runs.length;
}

function sumOf(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

export function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}
