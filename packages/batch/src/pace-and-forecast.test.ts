import { describe, expect, it } from 'vitest';
import { forecast, rateOf } from './forecast.ts';
import { providerOf, quickened, slowed, START_AT_ONCE } from './pace.ts';

describe('the pace of a provider', () => {
  const free = { atOnce: START_AT_ONCE, slowedAt: 0 };

  it('is halved by an overload, once for what was on its way', () => {
    const first = slowed(free, { running: 8, now: 100_000 });
    expect(first).toEqual({ atOnce: 4, slowedAt: 100_000 });
    expect(slowed(first, { running: 8, now: 104_000 })).toBe(first);
    expect(slowed(first, { running: 4, now: 106_000 }).atOnce).toBe(2);
  });

  it('never stops, and survives a clock that jumps back', () => {
    expect(slowed({ atOnce: 1, slowedAt: 0 }, { running: 1, now: 10_000 }).atOnce).toBe(1);
    expect(slowed({ atOnce: 4, slowedAt: 1e12 }, { running: 4, now: 10_000 }).atOnce).toBe(2);
  });

  it('rises by one for a round of tasks that went through', () => {
    let pace = { atOnce: 4, slowedAt: 0 };
    for (let task = 0; task < 4; task += 1) pace = quickened(pace, { running: 4, now: 0 });
    expect(pace.atOnce).toBe(5);
    expect(quickened(free, { running: 4, now: 0 })).toBe(free);
  });

  it.each([
    ['anthropic/claude-opus-5', 'anthropic'],
    ['gemini-2.5-flash', 'default'],
    [undefined, 'default'],
  ])('belongs to the provider of %s', (model, provider) => expect(providerOf(model)).toBe(provider));
});

describe('the forecast of a batch', () => {
  const ended = (duration_ms: number, cost_usd: number | null = 1) => ({ duration_ms, cost_usd });

  it('says nothing while too few tasks have ended, or none is left', () => {
    expect(forecast([ended(1), ended(1)], { left: 9, atOnce: 1, spent: 0 })).toBeUndefined();
    expect(forecast([ended(1), ended(1), ended(1)], { left: 0, atOnce: 1, spent: 0 })).toBeUndefined();
  });

  it('is exact where all tasks were alike, and a range where they were not', () => {
    const alike = [ended(100), ended(100), ended(100)];
    expect(forecast(alike, { left: 8, atOnce: 4, spent: 3 })).toEqual({
      time: { low: 200, high: 200 },
      cost: { low: 11, high: 11 },
    });
    const { time } = forecast([ended(50), ended(100), ended(150)], { left: 4, atOnce: 4, spent: 0 })!;
    expect(time.low).toBeLessThan(100);
    expect(time.high).toBeGreaterThan(100);
  });

  it('tells the rate of the last tasks, once there are enough', () => {
    const at = (second: number) => ({ ended_at: new Date(second * 1_000).toISOString() });
    expect([rateOf([at(0), at(60)]), rateOf([at(0), at(0), at(0)])]).toEqual([undefined, undefined]);
    expect(rateOf([at(0), at(120), at(60)])).toBe(60);
    expect(rateOf([at(-1e6), ...Array.from({ length: 20 }, (_, index) => at(index))])).toBe(3600);
  });

  it('names no cost where one is unknown', () => {
    expect(forecast([ended(1), ended(1, null), ended(1)], { left: 1, atOnce: 1, spent: 0 })?.cost).toBeUndefined();
  });
});
