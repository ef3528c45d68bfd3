/**
 * Compares two results: what got better or worse beyond noise. Only tasks that are the same in both count. Passes are compared by an
 * exact test over the tasks, amounts by their factor; a single task has to convince although many were looked at. Pure.
 */

import type { EvalResults, EvalRun } from './eval-results.ts';
import { beyondNoise, changeOf, differenceByChance } from './statistics.ts';
import type { Change, Pair, Tries } from './statistics.ts';
import { groupBy, isJudged, triesByTask, variantOf } from './summarise.ts';

export type Direction = 'better' | 'worse' | 'same';
export const AMOUNTS = ['cost', 'time', 'tokens', 'turns'] as const;
export type Amount = (typeof AMOUNTS)[number];

export interface TaskChange extends Pair {
  task: string;
  direction: Direction;
  /** The probability of such a difference by chance. */
  probability: number;
  isBeyondNoise: boolean;
  /** Passed in every try before and in none after, or the other way round. */
  isComplete: boolean;
}

export interface Comparison {
  before: { model: string; prompt: string };
  after: { model: string; prompt: string };
  tasks: number;
  passed: { before: number; after: number; probability: number; direction: Direction };
  /** Tasks whose passes differ. */
  changes: TaskChange[];
  amounts: Partial<Record<Amount, Change>>;
  /** Why tasks are left out. */
  changedTasks: string[];
  onlyBefore: string[];
  onlyAfter: string[];
}

interface Side {
  results: EvalResults;
  runs: EvalRun[];
}

/** The same model and prompt on both sides; where each side has just one, these. */
export function compareResults(before: EvalResults, after: EvalResults, alpha: number): Comparison[] {
  const [old, fresh] = [groupBy(before.runs, variantOf), groupBy(after.runs, variantOf)];
  const shared = [...old.keys()].filter((key) => fresh.has(key));
  const single = old.size === 1 && fresh.size === 1;
  const pairs = shared.length > 0 ? shared.map((key) => [key, key]) : single ? [[...old.keys(), ...fresh.keys()]] : [];
  return pairs.map(([one = '', other = '']) =>
    compareVariant(
      { results: before, runs: old.get(one) ?? [] },
      { results: after, runs: fresh.get(other) ?? [] },
      alpha,
    ),
  );
}

function compareVariant(before: Side, after: Side, alpha: number): Comparison {
  const [old, fresh] = [triesByTask(before.runs), triesByTask(after.runs)];
  const isChanged = (task: string) => before.results.tasks[task] !== after.results.tasks[task];
  const both = [...old.keys()].filter((task) => fresh.has(task));
  const tasks = both.filter((task) => !isChanged(task)).sort();
  const pairs = tasks.map((task) => ({ task, before: old.get(task)!, after: fresh.get(task)! }));
  const probability = differenceByChance(pairs);
  const rates = { before: rateOf(pairs, 'before'), after: rateOf(pairs, 'after') };
  const isReal = probability <= alpha;
  return {
    before: nameOf(before),
    after: nameOf(after),
    tasks: tasks.length,
    passed: { ...rates, probability, direction: isReal ? directionOf(rates.after - rates.before) : 'same' },
    changes: changesOf(pairs, alpha),
    amounts: amountsOf(before.runs, after.runs, tasks),
    changedTasks: both.filter(isChanged).sort(),
    onlyBefore: [...old.keys()].filter((task) => !fresh.has(task)).sort(),
    onlyAfter: [...fresh.keys()].filter((task) => !old.has(task)).sort(),
  };
}

function nameOf({ runs }: Side): { model: string; prompt: string } {
  const { model = '', prompt = '' } = runs[0] ?? {};
  return { model, prompt };
}

function changesOf(pairs: readonly (Pair & { task: string })[], alpha: number): TaskChange[] {
  const differing = pairs.filter((pair) => shareOf(pair.before) !== shareOf(pair.after));
  const probabilities = differing.map((pair) => differenceByChance([pair]));
  const isBeyond = beyondNoise(probabilities, alpha);
  return differing.map((pair, index) => ({
    ...pair,
    direction: directionOf(shareOf(pair.after) - shareOf(pair.before)),
    probability: probabilities[index] ?? 1,
    isBeyondNoise: isBeyond[index] ?? false,
    isComplete: Math.abs(shareOf(pair.after) - shareOf(pair.before)) === 1,
  }));
}

function amountsOf(
  before: readonly EvalRun[],
  after: readonly EvalRun[],
  tasks: readonly string[],
): Comparison['amounts'] {
  const found: Comparison['amounts'] = {};
  for (const amount of AMOUNTS) {
    const [old, fresh] = [meansOf(before, amount), meansOf(after, amount)];
    const change = changeOf(tasks.map((task) => [old.get(task) ?? 0, fresh.get(task) ?? 0] as const));
    if (change) found[amount] = change;
  }
  return found;
}

/** A task with a try of unknown cost has none. */
function meansOf(runs: readonly EvalRun[], amount: Amount): Map<string, number> {
  const groups = groupBy(runs.filter(isJudged), ({ task }) => task);
  const of = ({ cost_usd: cost, duration_ms: time, tokens, turns }: EvalRun) =>
    ({ cost: cost ?? Number.NaN, time, tokens, turns })[amount];
  return new Map([...groups].map(([task, each]) => [task, each.reduce((sum, run) => sum + of(run), 0) / each.length]));
}

function rateOf(pairs: readonly Pair[], side: 'before' | 'after'): number {
  const sum = (name: keyof Tries) => pairs.reduce((total, pair) => total + pair[side][name], 0);
  return sum('total') === 0 ? 0 : sum('passed') / sum('total');
}

function shareOf({ passed, total }: Tries): number {
  return passed / total;
}

function directionOf(difference: number): Direction {
  return difference > 0 ? 'better' : difference < 0 ? 'worse' : 'same';
}
