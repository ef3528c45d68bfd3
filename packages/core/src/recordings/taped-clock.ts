/** The clocks of a recorded run and of its replay: the same random numbers and the same times, in a replay without the waits. */

import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';

/** The same sequence for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32: full period, and every seed is as good as another.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The clock of a run that is recorded. It stands at the last thing that was recorded, as it will in a replay: ids with a time in them are
 * then the same. Waits are real; those that end by themselves are told.
 */
export class RecordingClock implements Clock {
  readonly random: () => number;
  private readonly started: number;
  private readonly onSlept: (ms: number) => void;
  private at = 0;

  constructor(started: number, seed: number, onSlept: (ms: number) => void) {
    this.started = started;
    this.random = createRandom(seed);
    this.onSlept = onSlept;
  }

  now(): number {
    return this.started + this.at;
  }

  /** The time since the start; the clock stands there from now on. */
  tick(): number {
    this.at = Math.max(this.at, systemClock.now() - this.started);
    return this.at;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await systemClock.sleep(ms, signal);
    this.onSlept(ms);
  }
}

/** Stands at the time of the last thing that happened in the recording. A wait that ended there ends at once; others are real. */
export class ReplayClock implements Clock {
  readonly random: () => number;
  private readonly started: number;
  private readonly slept: number[];
  private at = 0;

  constructor(started: number, seed: number, slept: readonly number[]) {
    this.started = started;
    this.slept = [...slept];
    this.random = createRandom(seed);
  }

  now(): number {
    return this.started + this.at;
  }

  /** How long the recording waited for it. */
  until(at: number): number {
    return at - this.at;
  }

  advanceTo(at: number): void {
    this.at = Math.max(this.at, at);
  }

  tick(): number {
    return this.at;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const index = this.slept.indexOf(ms);
    if (index === -1) return systemClock.sleep(ms, signal);
    this.slept.splice(index, 1);
    return systemClock.sleep(0, signal);
  }
}
