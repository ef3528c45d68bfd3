/** How much of a batch's budget a task gets before it starts, and whether it is spent. Pure: every engine counts with it. */

import type { BatchLimits, Claim, Spending } from './engine.ts';
import type { TaskLimits } from './task.ts';

export interface Reserve {
  cost: number | undefined;
  tokens: number | undefined;
}

/** What a batch has spent and given out, and how its tasks stand. */
export interface Totals {
  running: number;
  waiting: number;
  ended: number;
  spent: { cost: number; tokens: number };
  reserved: { cost: number; tokens: number };
}

/** A reserve above the usual cost of a task, so that most finish within it. */
const RESERVE_FACTOR = 2;

/** `spent`: nothing is left for any task. `wait`: a running task may leave something of its reserve. */
export function reserveFor(
  own: TaskLimits,
  limits: BatchLimits,
  totals: Totals,
  now: number,
): Reserve | 'wait' | 'spent' {
  if (limits.deadline !== undefined && now >= limits.deadline) return 'spent';
  const cost = share('cost', own, limits, totals);
  const tokens = share('tokens', own, limits, totals);
  if (cost === 'none' || tokens === 'none') return totals.running > 0 ? 'wait' : 'spent';
  return { cost, tokens: tokens === undefined ? undefined : Math.ceil(tokens) };
}

/** At least an equal part of what is left; more where tasks have shown that they need it; never more than is left. */
function share(
  name: 'cost' | 'tokens',
  own: TaskLimits,
  limits: BatchLimits,
  { waiting, ended, spent, reserved }: Totals,
): number | undefined | 'none' {
  const limit = limits[name];
  if (limit === undefined) return own[name];
  const left = limit - spent[name] - reserved[name];
  if (left <= limit * 1e-9) return 'none';
  const usual = ended > 0 ? (RESERVE_FACTOR * spent[name]) / ended : 0;
  return Math.min(left, own[name] ?? Infinity, Math.max(left / Math.max(1, waiting), usual));
}

/** The reserve may be less than the task's own limit: then more of the batch's budget may be left. */
export function isReserveSpent({ reserved, task }: Claim, { cost, tokens }: Spending): boolean {
  const spent = { cost: cost ?? 0, tokens };
  return (['cost', 'tokens'] as const).some((name) => {
    const amount = reserved[name];
    return amount !== undefined && amount !== task.limits[name] && spent[name] >= amount * 0.9;
  });
}
