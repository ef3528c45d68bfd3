/**
 * ReopenPace: when a stream that a server ended is opened again. While an answer is outstanding soon, as it may be on that stream; else
 * ever less often, because a server that ends its listening stream at once would be asked forever, at a pace of its own choice.
 */

import type { Clock } from '../util/clock.ts';

const SOONEST_MS = 250;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** A server may ask for a longer pause than ours. */
const LONGEST_ASKED_MS = 600_000;
/** A stream that lasted this long was worth opening. */
const STEADY_MS = 60_000;

export class ReopenPace {
  private readonly clock: Clock;
  private readonly isAwaited: () => boolean;
  private openedAt: number;
  private shortStreams = 0;

  constructor(clock: Clock, isAwaited: () => boolean) {
    this.clock = clock;
    this.isAwaited = isAwaited;
    this.openedAt = clock.now();
  }

  /** Calls `reopen` after a pause; `askedMs` is the one that the server or the library wants. Returns what cancels it. */
  readonly schedule = (reopen: () => void, askedMs: number): (() => void) => {
    const cancelled = new AbortController();
    void this.clock.sleep(this.nextPause(askedMs), cancelled.signal).then(
      () => {
        this.openedAt = this.clock.now();
        reopen();
      },
      () => undefined,
    );
    return () => cancelled.abort();
  };

  private nextPause(askedMs: number): number {
    if (this.isAwaited()) return Math.min(Math.max(askedMs, SOONEST_MS), LONGEST_MS);
    if (this.clock.now() - this.openedAt > STEADY_MS) this.shortStreams = 0;
    const own = Math.min(FIRST_MS * 2 ** this.shortStreams++, LONGEST_MS);
    return Math.min(Math.max(askedMs, own), LONGEST_ASKED_MS);
  }
}
