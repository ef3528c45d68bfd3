import { describe, expect, it } from 'vitest';
import { mergePrices } from './merge-prices.ts';
import { costOf } from './prices.ts';
import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import { NO_TOKENS } from './session-metrics.ts';

const PRICES: PriceTable = {
  plain: { input: 1, output: 10 },
  tiered: { input: 1, output: 10, cached: 0.1, long: { above: 200_000, input: 2, output: 20, cached: 0.2 } },
  written: { input: 4, output: 10, cached: 0.4, cacheWrite: 5 },
};
const tokens = (counts: Partial<typeof NO_TOKENS>) => ({ ...NO_TOKENS, ...counts });

describe('costOf', () => {
  it.each([
    ['input, output and thoughts', 'plain', { input: 1_000_000, candidates: 100_000, thoughts: 100_000 }, 3],
    ['what tools of the service read as input', 'plain', { input: 500_000, tool: 500_000 }, 1],
    ['cached input at its own rate', 'tiered', { prompt: 100_000, input: 50_000, cached: 50_000 }, 0.055],
    ['cached input as input where there is no rate', 'plain', { input: 50_000, cached: 50_000 }, 0.1],
    [
      'cache writes at their own rate',
      'written',
      { prompt: 300_000, input: 200_000, cacheWrite: 100_000, cached: 100_000 },
      0.94,
    ],
    ['cache writes as input where there is no rate', 'plain', { input: 50_000, cacheWrite: 50_000 }, 0.05],
    ['a prompt at the limit at the lower rates', 'tiered', { prompt: 200_000, input: 200_000 }, 0.2],
    [
      'all of a long prompt at the higher rates',
      'tiered',
      { prompt: 300_000, input: 200_000, cached: 100_000, candidates: 100_000 },
      2.42,
    ],
    ['a model by its full name', 'models/plain', { input: 1_000_000 }, 1],
  ])('charges %s', (_title, model, counts, usd) => {
    expect(costOf(model, tokens(counts), PRICES)).toBeCloseTo(usd, 10);
  });

  it('knows no cost without a price', () => {
    expect(costOf('other', tokens({ input: 1 }), PRICES)).toBeUndefined();
    expect(costOf('constructor', tokens({ input: 1 }), PRICES)).toBeUndefined();
  });
});

describe('mergePrices', () => {
  it('adds and replaces entries of the table', () => {
    const mine = { plain: { input: 0, output: 0 }, local: { input: 0.5, output: 1, cached: 0.1 } };
    expect(mergePrices(PRICES, mine)).toEqual({ prices: { ...PRICES, ...mine }, problems: [] });
    expect(mergePrices(PRICES, undefined)).toEqual({ prices: PRICES, problems: [] });
  });

  it('knows a price that is added to the table later', () => {
    const table: Record<string, { input: number; output: number }> = { ...PRICES };
    const { prices } = mergePrices(table, { late: { input: 3, output: 3 } });
    table['new'] = { input: 1, output: 1 };
    table['late'] = { input: 2, output: 2 };
    expect([prices['new'], prices['late'], costOf('new', tokens({ input: 1_000_000 }), prices)]).toEqual([
      { input: 1, output: 1 },
      { input: 3, output: 3 },
      1,
    ]);
  });

  it.each([
    ['no object', 3],
    ['a missing output', { input: 1 }],
    ['a negative price', { input: -1, output: 1 }],
    ['a price that is text', { input: '1', output: 1 }],
    ['a broken cached price', { input: 1, output: 1, cached: null }],
    ['a broken price of cache writes', { input: 1, output: 1, cacheWrite: '2' }],
    ['a long tier without a limit', { input: 1, output: 1, long: { input: 1, output: 1 } }],
  ])('leaves out %s and names the model', (_title, price) => {
    expect(mergePrices(PRICES, { mine: price })).toEqual({
      prices: PRICES,
      problems: ['The price of "mine" must have input and output in US dollars per million tokens.'],
    });
  });

  it('leaves out a table that is none', () => {
    expect(mergePrices(PRICES, [])).toEqual({
      prices: PRICES,
      problems: ['The price table must be an object of prices by model.'],
    });
  });
});
