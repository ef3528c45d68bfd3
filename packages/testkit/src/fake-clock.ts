/**
 * Time and randomness for tests: the clock moves only by sleeping, no sleep takes real time, and random numbers come
 * from a seed.
 */

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Clock } from '@castor/core';
import { seededRandom } from './seeded-random.ts';

/**
 * A sleep moves the clock and resolves on the next turn of the event loop, so that I/O and aborts can happen; an abort
 * before or meanwhile rejects with AbortError.
 */
export interface FakeClock extends Clock {
  /** The durations passed to `sleep`, in order, aborted ones included. */
  readonly sleeps: readonly number[];
  advance(ms: number): void;
}

export interface FakeClockOptions {
  /** Milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
  readonly start?: number;
  readonly seed?: number;
  /** Called when a sleep begins, for example to abort inside it. */
  readonly onSleep?: (ms: number) => void;
}

const DEFAULT_START = Date.UTC(2026, 0, 1);

export function createFakeClock(options: FakeClockOptions = {}): FakeClock {
  let now = options.start ?? DEFAULT_START;
  const sleeps: number[] = [];
  return {
    now: () => now,
    random: seededRandom(options.seed ?? 1),
    sleeps,
    advance: (ms) => {
      now += ms;
    },
    async sleep(ms, signal) {
      sleeps.push(ms);
      options.onSleep?.(ms);
      throwIfAborted(signal);
      await nextLoop();
      throwIfAborted(signal);
      now += ms;
    },
  };
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    const cause: unknown = signal.reason;
    throw Object.assign(new DOMException('Aborted', 'AbortError'), { cause });
  }
}
