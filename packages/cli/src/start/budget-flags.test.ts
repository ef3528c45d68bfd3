import { describe, expect, it } from 'vitest';
import { UsageError } from '../args/args.ts';
import type { CliArguments } from '../args/args.ts';
import { chooseBudget } from './budget-flags.ts';

describe('chooseBudget', () => {
  it.each<[CliArguments, object | undefined]>([
    [{}, undefined],
    [{ maxTurns: '20' }, { turns: 20 }],
    [{ maxTokens: '200000' }, { tokens: 200_000 }],
    [{ maxTokens: '1.5M' }, { tokens: 1_500_000 }],
    [{ maxCost: '0.50' }, { cost: 0.5 }],
    [{ maxCost: '$2' }, { cost: 2 }],
    [{ maxTime: '90s' }, { timeMs: 90_000 }],
    [
      { maxTime: '1.5h', maxTurns: '1' },
      { turns: 1, timeMs: 5_400_000 },
    ],
  ])('reads %j', (args, expected) => {
    expect(chooseBudget(args)).toEqual(expected);
  });

  it.each<[CliArguments, string]>([
    [{ maxTurns: '0' }, '--max-turns must be a whole number above 0, such as 20, not "0".'],
    [{ maxTurns: '1.5' }, '--max-turns must be a whole number above 0, such as 20, not "1.5".'],
    [{ maxTokens: 'many' }, '--max-tokens must be a number of tokens, such as 200000 or 200k, not "many".'],
    [{ maxTokens: '0' }, '--max-tokens must be a number of tokens, such as 200000 or 200k, not "0".'],
    [{ maxCost: '-1' }, '--max-cost must be an amount of US dollars, such as 0.50, not "-1".'],
    [{ maxCost: '1e3' }, '--max-cost must be an amount of US dollars, such as 0.50, not "1e3".'],
    [{ maxTime: '90' }, '--max-time must be a time with its unit, such as 90s, 5m or 1h, not "90".'],
    [{ maxTime: '0s' }, '--max-time must be a time with its unit, such as 90s, 5m or 1h, not "0s".'],
    [{ maxTime: '9999h' }, '--max-time must be at most 24 days, not "9999h".'],
  ])('refuses %j', (args, sentence) => {
    expect(() => chooseBudget(args)).toThrow(new UsageError(sentence));
  });
});
