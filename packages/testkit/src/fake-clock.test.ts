import { describe, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

describe('createFakeClock', () => {
  it('moves by its sleeps only and remembers them', async () => {
    const clock = createFakeClock({ start: 1000 });
    await clock.sleep(5000);
    await clock.sleep(250);
    clock.advance(3);
    expect({ now: clock.now(), sleeps: clock.sleeps }).toEqual({ now: 6253, sleeps: [5000, 250] });
  });

  it('rejects a sleep that was aborted before it began', async () => {
    const clock = createFakeClock({ start: 0 });
    await expect(clock.sleep(10, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect({ now: clock.now(), sleeps: clock.sleeps }).toEqual({ now: 0, sleeps: [10] });
  });

  it('rejects a sleep that is aborted while it lasts', async () => {
    const controller = new AbortController();
    const sleep = createFakeClock().sleep(60_000, controller.signal);
    controller.abort();
    await expect(sleep).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('tells when a sleep begins', async () => {
    const controller = new AbortController();
    const clock = createFakeClock({ onSleep: () => controller.abort() });
    await expect(clock.sleep(1, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rolls the same dice for the same seed', () => {
    const roll = (seed: number) => {
      const clock = createFakeClock({ seed });
      return Array.from({ length: 50 }, () => clock.random());
    };
    expect(roll(3)).toEqual(roll(3));
    expect(roll(3)).not.toEqual(roll(4));
    expect(roll(3).every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
