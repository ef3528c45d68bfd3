/** `--max-turns`, `--max-tokens`, `--max-cost` and `--max-time` as limits. Pure. */

import type { BudgetLimits } from '@castor/core';
import { UsageError } from '../args/args.ts';
import type { CliArguments } from '../args/args.ts';

const COUNT_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };
const TIME_UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** The longest delay a timer supports. */
const MAX_TIME_MS = 24 * 24 * TIME_UNITS['h']!;

/** Undefined without limits. Throws a UsageError for an invalid limit. */
export function chooseBudget({ maxTurns, maxTokens, maxCost, maxTime }: CliArguments): BudgetLimits | undefined {
  const limits: BudgetLimits = {
    ...(maxTurns !== undefined && { turns: readTurns(maxTurns) }),
    ...(maxTokens !== undefined && { tokens: readTokens(maxTokens) }),
    ...(maxCost !== undefined && { cost: readCost(maxCost) }),
    ...(maxTime !== undefined && { timeMs: readTime(maxTime) }),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function readTurns(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw refusal('max-turns', value, 'a whole number above 0, such as 20');
  return Number(value);
}

function readTokens(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(value) ?? [];
  const tokens = Math.round(Number(number) * (COUNT_UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (number === '' || !(tokens > 0)) throw refusal('max-tokens', value, 'a number of tokens, such as 200000 or 200k');
  return tokens;
}

function readCost(value: string): number {
  const cost = /^\$?\d+(\.\d+)?$/.test(value) ? Number(value.replace('$', '')) : Number.NaN;
  if (!(cost > 0)) throw refusal('max-cost', value, 'an amount of US dollars, such as 0.50');
  return cost;
}

function readTime(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh])$/.exec(value) ?? [];
  const ms = Number(number) * (TIME_UNITS[unit] ?? Number.NaN);
  if (number === '' || !(ms > 0)) throw refusal('max-time', value, 'a time with its unit, such as 90s, 5m or 1h');
  if (ms > MAX_TIME_MS) throw refusal('max-time', value, 'at most 24 days');
  return ms;
}

function refusal(name: string, value: string, expected: string): UsageError {
  return new UsageError(`--${name} must be ${expected}, not ${JSON.stringify(value)}.`);
}
