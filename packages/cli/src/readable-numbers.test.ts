import { describe, expect, it } from 'vitest';
import { readableCount, readableDuration, readableTime } from './readable-numbers.ts';

describe('numbers for users', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [36_601, '36,601'],
    [1_234_567, '1,234,567'],
  ])('writes %i as %s', (count, text) => {
    expect(readableCount(count)).toBe(text);
  });

  it.each([
    [420, '420 ms'],
    [20_106, '20.1 s'],
    [59_999, '59.9 s'],
    [338_000, '5 min 38 s'],
    [7_500_000, '2 h 5 min'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(readableDuration(ms)).toBe(text);
  });

  it('writes a time in the zone of the user', () => {
    expect(readableTime(new Date(2026, 0, 2, 3, 4).getTime())).toBe('2026-01-02 03:04');
  });
});
