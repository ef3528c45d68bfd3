/**
 * The statistics of evals, without a random number: intervals of a rate, pass@k, and the exact test of whether two sets of tries of
 * the same tasks differ. Tries of one task resemble each other, so tasks are strata, never a bag of independent runs.
 */

export interface Interval {
  low: number;
  high: number;
}

/** The tries of one task. */
export interface Tries {
  passed: number;
  total: number;
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964;

/** Wilson's interval: sensible for few runs and at 0 % and 100 %. `size` need not be whole. */
export function wilson(rate: number, size: number): Interval {
  if (size <= 0) return { low: 0, high: 1 };
  const square = Z * Z;
  const middle = rate + square / (2 * size);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / size + square / (4 * size * size));
  const bound = (value: number) => Math.min(1, Math.max(0, value / (1 + square / size)));
  return { low: rate === 0 ? 0 : bound(middle - spread), high: rate === 1 ? 1 : bound(middle + spread) };
}

export interface Rate extends Interval {
  rate: number;
  /** How many independent runs the tries are worth: from the number of tasks to the number of tries. */
  effective: number;
}

/** The share of tries that passed. Undefined without a try. */
export function passRate(tasks: readonly Tries[]): Rate | undefined {
  const total = tasks.reduce((sum, task) => sum + task.total, 0);
  if (total === 0) return undefined;
  const rate = tasks.reduce((sum, task) => sum + task.passed, 0) / total;
  const effective = effectiveSize(tasks, rate, total);
  return { rate, effective, ...wilson(rate, effective) };
}

/** A task that always passes says no more in ten tries than in one. */
function effectiveSize(tasks: readonly Tries[], rate: number, total: number): number {
  const judged = tasks.filter((task) => task.total > 0);
  const count = judged.length;
  // Two tasks or all alike: nothing shows how tries of a task resemble each other, so the careful answer.
  if (count < 3 || rate === 0 || rate === 1) return count;
  const deviation = judged.reduce((sum, { passed, total: tries }) => sum + (passed - rate * tries) ** 2, 0);
  const variance = ((count / (count - 1)) * deviation) / (total * total);
  return Math.min(total, Math.max(count, (rate * (1 - rate)) / variance));
}

/** The chance that at least one of `k` tries passes, without bias; the mean over the tasks with at least `k` tries. */
export function passAtK(tasks: readonly Tries[], k: number): number | undefined {
  const tried = tasks.filter(({ total }) => total >= k);
  if (tried.length === 0) return undefined;
  return tried.reduce((sum, task) => sum + oneOfK(task, k), 0) / tried.length;
}

function oneOfK({ passed, total }: Tries, k: number): number {
  let none = 1;
  for (let drawn = 0; drawn < k; drawn += 1) none *= Math.max(0, total - passed - drawn) / (total - drawn);
  return 1 - none;
}

/** The same task before and after. */
export interface Pair {
  before: Tries;
  after: Tries;
}

/**
 * The probability of a difference at least this large, in either direction, if every task passed as often after as before: Fisher's
 * exact test over strata. The passes of each task are dealt to both sides at random; their sums are counted, not simulated.
 */
export function differenceByChance(pairs: readonly Pair[]): number {
  let chances = [1];
  let observed = 0;
  for (const pair of pairs) {
    const dealt = passesAfter(pair);
    chances = added(chances, dealt.chances);
    observed += pair.after.passed - dealt.least;
  }
  const tail = (from: number, to: number) => chances.slice(from, to).reduce((sum, chance) => sum + chance, 0);
  return Math.min(1, 2 * Math.min(tail(0, observed + 1), tail(observed, chances.length)));
}

/** The hypergeometric chances of `least`, `least + 1`, … passes after. */
function passesAfter({ before, after }: Pair): { least: number; chances: number[] } {
  const passed = before.passed + after.passed;
  const all = before.total + after.total;
  const least = Math.max(0, passed - before.total);
  const most = Math.min(passed, after.total);
  const weights: number[] = [];
  for (let count = least; count <= most; count += 1)
    weights.push(
      Math.exp(logChoose(after.total, count) + logChoose(before.total, passed - count) - logChoose(all, passed)),
    );
  return { least, chances: weights };
}

function logChoose(from: number, taken: number): number {
  let sum = 0;
  for (let index = 1; index <= taken; index += 1) sum += Math.log((from - taken + index) / index);
  return sum;
}

function added(one: readonly number[], other: readonly number[]): number[] {
  const sums = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [at, chance] of one.entries())
    for (const [more, next] of other.entries()) sums[at + more] = (sums[at + more] ?? 0) + chance * next;
  return sums;
}

/** Which of many probabilities count although many were looked at: Holm's rule. */
export function beyondNoise(probabilities: readonly number[], alpha: number): boolean[] {
  const order = [...probabilities.keys()].sort((one, other) => probabilities[one]! - probabilities[other]!);
  const isBeyond = probabilities.map(() => false);
  for (const [rank, index] of order.entries()) {
    if (probabilities[index]! > alpha / (probabilities.length - rank)) break;
    isBeyond[index] = true;
  }
  return isBeyond;
}

export interface Change extends Interval {
  /** After ÷ before, as the geometric mean over the tasks. */
  factor: number;
  isBeyondNoise: boolean;
}

/** Fewer tasks say nothing about an amount. */
const FEWEST = 5;
const RESAMPLES = 2_000;

/** How an amount changed: each task counts once, whatever its size. Undefined for too few tasks. */
export function changeOf(amounts: readonly (readonly [before: number, after: number])[]): Change | undefined {
  const ratios = amounts.flatMap(([before, after]) => (before > 0 && after > 0 ? [Math.log(after / before)] : []));
  if (ratios.length < FEWEST) return undefined;
  const next = sequence(ratios.length);
  const means = Array.from({ length: RESAMPLES }, () => mean(ratios.map(() => ratios[next()]!)));
  means.sort((one, other) => one - other);
  const at = (share: number) => Math.exp(means[Math.round(share * (RESAMPLES - 1))]!);
  const [low, high] = [at(0.025), at(0.975)];
  return { factor: Math.exp(mean(ratios)), low, high, isBeyondNoise: low > 1 || high < 1 };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Always the same sequence below `limit`: the same two files give the same verdict. */
function sequence(limit: number): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
