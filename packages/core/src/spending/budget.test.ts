import { once } from 'node:events';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { BudgetExceededError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { Budget, BudgetError } from './budget.ts';
import type { BudgetLimits } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';

const finished: AgentEvent = { type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } };

function open(limits: BudgetLimits, spent: { turns?: number; tokens?: number; usd?: number | undefined } = {}) {
  const clock = createFakeClock();
  const ledger = {
    spentTokens: spent.tokens ?? 0,
    cost: () => ({ usd: 'usd' in spent ? spent.usd : 0, byModel: {} }),
    hasPrice: (model: string) => model === 'priced',
  };
  const budget = new Budget({ limits, ledger, clock });
  for (let turn = 0; turn < (spent.turns ?? 0); turn++) budget.add(finished);
  return { budget, clock };
}

describe('Budget', () => {
  it.each<BudgetLimits>([
    { turns: -1 },
    { tokens: Number.NaN },
    { cost: -0.5 },
    { timeMs: Number.NaN },
    { timeMs: 2 ** 31 },
  ])('rejects a limit that it cannot hold: %o', (limits) => {
    expect(() => open(limits)).toThrow(BudgetError);
  });

  it.each<[string, BudgetLimits, Parameters<typeof open>[1], object | undefined]>([
    ['nothing is limited', {}, { turns: 1000, tokens: 1e9, usd: 1e6 }, undefined],
    ['turns are left', { turns: 3 }, { turns: 2 }, undefined],
    ['the turns are taken', { turns: 3 }, { turns: 3 }, { name: 'turns', limit: 3, spent: 3 }],
    ['the tokens are spent', { tokens: 100 }, { tokens: 130 }, { name: 'tokens', limit: 100, spent: 130 }],
    ['the money is spent', { cost: 0.5 }, { usd: 0.51234567 }, { name: 'cost', limit: 0.5, spent: 0.5123 }],
    ['hardly any money is left', { cost: 0.5 }, { usd: 0.49996 }, undefined],
    ['a tiny sum is spent', { cost: 0.00001 }, { usd: 0.00004 }, { name: 'cost', limit: 0.00001, spent: 0.00004 }],
    ['the cost is not known', { cost: 0.5 }, { usd: undefined }, { name: 'cost', limit: 0.5, spent: 0.5 }],
    ['the first of two is spent', { turns: 9, tokens: 5 }, { tokens: 6 }, { name: 'tokens', limit: 5, spent: 6 }],
  ])('says whether it is spent when %s', (_, limits, spent, expected) => {
    expect(open(limits, spent).budget.exceeded()?.budget).toEqual(expected);
  });

  it('says in words what was spent', () => {
    expect(open({ turns: 3 }, { turns: 3 }).budget.exceeded()?.detail).toBe(
      'The budget of this run is spent: 3 of 3 turns.',
    );
    expect(() => open({ tokens: 10 }, { tokens: 12 }).budget.assertOpen()).toThrow(
      new BudgetExceededError('The budget of this run is spent: 12 of 10 tokens.'),
    );
  });

  it.each<[string, BudgetLimits, Parameters<typeof open>[1], string | undefined]>([
    ['at nine tenths of the tokens', { tokens: 100 }, { tokens: 90 }, '90 of 100 tokens'],
    ['not before', { tokens: 100 }, { tokens: 89 }, undefined],
    ['before the last turn of a few', { turns: 4 }, { turns: 3 }, '3 of 4 turns'],
    ['not before the only turn', { turns: 1 }, {}, undefined],
    [
      'of all that is nearly spent',
      { tokens: 10, cost: 1 },
      { tokens: 9, usd: 0.95 },
      '9 of 10 tokens, 0.95 of 1 US dollars',
    ],
  ])('warns %s, once', (_, limits, spent, words) => {
    const { budget } = open(limits, spent);
    const warning = budget.warning();
    if (words === undefined) expect(warning).toBeUndefined();
    else expect(warning).toContain(`nearly spent: ${words}.`);
    expect(budget.warning()).toBeUndefined();
  });

  it('counts the time from when it was opened', async () => {
    const { budget, clock } = open({ timeMs: 90_000 });
    await clock.sleep(89_000);
    expect(budget.exceeded()).toBeUndefined();
    expect(budget.warning()).toContain('89 of 90 seconds');
    await clock.sleep(1_500);
    expect(budget.exceeded()?.budget).toEqual({ name: 'time', limit: 90, spent: 90.5 });
  });

  it('cuts short what runs a tenth longer than the time', async () => {
    const { budget, clock } = open({ timeMs: 10_000 });
    const watch = budget.watch(new AbortController().signal);
    await once(watch.signal, 'abort');
    expect([watch.signal.aborted, watch.hasExpired, clock.sleeps.at(-1)]).toEqual([true, true, 11_000]);
    watch.release();
  });

  it('gives no more than half a minute of grace', () => {
    const { budget, clock } = open({ timeMs: 3_600_000 });
    budget.watch(new AbortController().signal).release();
    expect(clock.sleeps.at(-1)).toBe(3_630_000);
  });

  it('hands an abort on', () => {
    const { budget } = open({ timeMs: 10_000 });
    const outer = new AbortController();
    const watch = budget.watch(outer.signal);
    outer.abort();
    expect([watch.signal.aborted, watch.hasExpired]).toEqual([true, false]);
    watch.release();
  });

  it('refuses a limit on a cost that could not be known', () => {
    expect(() => open({ cost: 1 }).budget.requirePriceOf('other')).toThrow(BudgetError);
    expect(() => open({ cost: 1 }).budget.requirePriceOf('priced')).not.toThrow();
    expect(() => open({ tokens: 1 }).budget.requirePriceOf('other')).not.toThrow();
  });
});

describe('createBudgetedGenerator', () => {
  const request = { model: 'm', contents: [] };

  it('sends nothing once the budget is spent, for any caller', async () => {
    const asked: string[] = [];
    const inner = {
      generateContent: async (_request: object, _prompt_id: string, role: string) => {
        asked.push(role);
        return {};
      },
      generateContentStream: async function* () {},
    } as unknown as ContentGenerator;
    const { budget } = open({ turns: 1 });
    const generator = createBudgetedGenerator(inner, budget);
    await generator.generateContent(request, 'p', 'utility_compressor');
    budget.add(finished);
    await expect(generator.generateContent(request, 'p', 'utility_compressor')).rejects.toThrow(BudgetExceededError);
    await expect(generator.generateContentStream(request, 'p', 'main')).rejects.toThrow(BudgetExceededError);
    expect(asked).toEqual(['utility_compressor']);
  });
});
