import { expect, it } from 'vitest';
import { ReopenPace } from './reopen-pace.ts';

function pace() {
  const waits: number[] = [];
  const state = { now: 0, isAwaited: false };
  const clock = { now: () => state.now, random: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const pacing = new ReopenPace(clock, () => state.isAwaited);
  return { state, waits, ended: (askedMs: number) => pacing.schedule(() => {}, askedMs) };
}

it('opens a stream that ends at once ever less often, at most once a minute', () => {
  const { waits, ended } = pace();
  for (let count = 0; count < 9; count++) ended(0);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it('grants a server a longer pause, but none that a timer cannot hold', () => {
  const { waits, ended } = pace();
  ended(90_000);
  ended(99_999_999_999);
  expect(waits).toEqual([90_000, 600_000]);
});

it('begins anew after a stream that lasted', async () => {
  const { state, waits, ended } = pace();
  ended(0);
  ended(0);
  await Promise.resolve();
  state.now = 60_001;
  ended(0);
  expect(waits).toEqual([1_000, 2_000, 1_000]);
});

it('opens a stream soon while an answer may come on it', () => {
  const { state, waits, ended } = pace();
  for (let count = 0; count < 9; count++) ended(0);
  state.isAwaited = true;
  ended(0);
  ended(500);
  expect(waits.slice(9)).toEqual([250, 500]);
});
