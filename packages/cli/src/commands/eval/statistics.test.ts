import { describe, expect, it } from 'vitest';
import { beyondNoise, changeOf, differenceByChance, passAtK, passRate, wilson } from './statistics.ts';

const tries = (passed: number, total: number) => ({ passed, total });
const pair = (before: [number, number], after: [number, number]) => ({
  ...{ before: tries(...before), after: tries(...after) },
});

describe('the interval of a rate', () => {
  it.each([
    // Textbook values of Wilson's interval.
    [8, 10, 0.4902, 0.9433],
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [50, 100, 0.4038, 0.5962],
  ])('of %i in %i is Wilson’s', (passed, total, low, high) => {
    const interval = wilson(passed / total, total);
    expect([interval.low, interval.high]).toEqual([expect.closeTo(low, 3), expect.closeTo(high, 3)]);
  });

  it('does not become narrower by tries that tell nothing new', () => {
    const once = passRate([tries(1, 1), tries(0, 1), tries(1, 1), tries(1, 1)])!;
    const often = passRate([tries(9, 9), tries(0, 9), tries(9, 9), tries(9, 9)])!;
    expect([once.rate, often.rate, often.effective]).toEqual([0.75, 0.75, 4]);
    expect([often.low, often.high]).toEqual([once.low, once.high]);
  });

  it('becomes narrower by tries that differ', () => {
    const often = passRate([tries(5, 9), tries(4, 9), tries(5, 9), tries(4, 9)])!;
    expect(often.effective).toBe(36);
  });

  it('of nothing is nothing', () => {
    expect(passRate([])).toBeUndefined();
  });
});

describe('pass@k', () => {
  it('is the chance of one pass in k tries', () => {
    expect(passAtK([tries(1, 4)], 1)).toBeCloseTo(0.25);
    expect(passAtK([tries(1, 4)], 2)).toBeCloseTo(0.5);
    expect(passAtK([tries(1, 4)], 4)).toBe(1);
    expect(passAtK([tries(0, 4), tries(4, 4)], 2)).toBeCloseTo(0.5);
    expect(passAtK([tries(1, 4)], 5)).toBeUndefined();
  });
});

describe('the chance of a difference', () => {
  it('is Fisher’s exact test in one task', () => {
    // The tea taster: 3 of 4 against 1 of 4.
    expect(differenceByChance([pair([1, 4], [3, 4])])).toBeCloseTo(0.4857, 3);
    expect(differenceByChance([pair([8, 8], [0, 8])])).toBeCloseTo(2 / 12870, 6);
  });

  it('is the sign test over tasks with one try', () => {
    const worse = Array.from({ length: 6 }, () => pair([1, 1], [0, 1]));
    const same = Array.from({ length: 20 }, () => pair([1, 1], [1, 1]));
    expect(differenceByChance([...worse, ...same])).toBeCloseTo(2 / 64, 9);
  });

  it('is certain where nothing differs, and never above one', () => {
    expect(differenceByChance([pair([3, 3], [3, 3])])).toBe(1);
    expect(differenceByChance([pair([2, 3], [2, 3])])).toBe(1);
    expect(differenceByChance([])).toBe(1);
  });

  it('stays exact over hundreds of tasks', () => {
    const tasks = Array.from({ length: 500 }, (_, index) => pair([index % 6, 5], [index % 6, 5]));
    expect(differenceByChance(tasks)).toBeGreaterThan(0.9);
  });
});

describe('many looks', () => {
  it('need a smaller probability each', () => {
    expect(beyondNoise([0.04, 0.001, 0.5], 0.05)).toEqual([false, true, false]);
    expect(beyondNoise([0.02], 0.05)).toEqual([true]);
  });
});

describe('the change of an amount', () => {
  const amounts = (factor: number) => [1, 2, 3, 4, 5, 6].map((each) => [each, each * factor] as const);

  it('is a factor with an interval, the same for the same data', () => {
    expect(changeOf(amounts(2))).toMatchObject({ factor: expect.closeTo(2, 6) as number, isBeyondNoise: true });
    expect(changeOf(amounts(1))).toMatchObject({ factor: 1, isBeyondNoise: false });
    const mixed = amounts(1).map(([before], index) => [before, before * (index % 2 ? 2 : 0.5)] as const);
    expect(changeOf(mixed)).toEqual(changeOf(mixed));
    expect(changeOf(mixed)).toMatchObject({ isBeyondNoise: false });
  });

  it('says nothing about few tasks', () => {
    expect(changeOf(amounts(3).slice(0, 4))).toBeUndefined();
  });
});
