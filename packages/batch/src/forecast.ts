/** What a batch will still take, from the tasks that have ended: a range while they differ, nothing while too few have. Pure. */

import type { TaskResult } from './task-result.ts';

export interface Forecast {
  /** Milliseconds until the last task ends. */
  time: Range;
  /** US dollars in all; undefined where a price is unknown. */
  cost: Range | undefined;
}

export interface Range {
  low: number;
  high: number;
}

/** Fewer ended tasks say little about the rest. */
const ENOUGH = 3;
/** Two standard errors of the mean. */
const ERRORS = 2;

/** Undefined while too few tasks have ended, or nothing is left. */
export function forecast(
  results: readonly Pick<TaskResult, 'duration_ms' | 'cost_usd'>[],
  { left, atOnce, spent }: { left: number; atOnce: number; spent: number },
): Forecast | undefined {
  const ran = results.filter(({ duration_ms }) => duration_ms !== undefined);
  if (ran.length < ENOUGH || left <= 0) return undefined;
  const time = meanOf(ran.map(({ duration_ms = 0 }) => duration_ms));
  const costs = ran.map(({ cost_usd }) => cost_usd);
  const rounds = left / Math.max(1, Math.min(atOnce, left));
  const scale = ({ low, high }: Range, factor: number, plus = 0) => ({
    low: plus + low * factor,
    high: plus + high * factor,
  });
  const isPriced = costs.every((cost) => cost !== null);
  return { time: scale(time, rounds), cost: isPriced ? scale(meanOf(costs), left, spent) : undefined };
}

/** The last tasks say how fast the batch is now. */
const RECENT = 20;

/** Tasks an hour, from the moments at which the last ones ended. Undefined while too few have. */
export function rateOf(results: readonly Pick<TaskResult, 'ended_at'>[]): number | undefined {
  const ends = results
    .flatMap(({ ended_at: at }) => (at === undefined ? [] : [Date.parse(at)]))
    .slice(-RECENT)
    .sort((one, other) => one - other);
  const span = (ends.at(-1) ?? 0) - (ends[0] ?? 0);
  return ends.length < ENOUGH || span <= 0 ? undefined : ((ends.length - 1) * 3_600_000) / span;
}

function meanOf(values: readonly number[]): Range {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  const error = ERRORS * Math.sqrt(variance / values.length);
  return { low: Math.max(0, mean - error), high: mean + error };
}
