/** How long calls took, as the surface saw them run. Remembers only calls that are under way or just ended. */

import type { PendingCall } from '@castor/core';
import { shortDuration } from '../../short-numbers.ts';

/** A shorter time is not worth a word. */
const LEAST_MS = 1_000;
const LEAST_AGE_MS = 3_000;

export class CallTimes {
  private readonly now: () => number;
  private readonly began = new Map<string, number>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** Called with the pending calls after each change. */
  look(calls: readonly PendingCall[]): void {
    for (const { callId, status } of calls)
      if (status === 'executing' && !this.began.has(callId)) this.began.set(callId, this.now());
  }

  /** How old a call is, in words, by whole seconds; undefined while it is young. */
  ageOf(callId: string): string | undefined {
    const began = this.began.get(callId);
    const age = began === undefined ? 0 : this.now() - began;
    return age < LEAST_AGE_MS ? undefined : shortDuration(Math.floor(age / 1_000) * 1_000).replace('.0 s', ' s');
  }

  /** In words; undefined where it was short or is unknown. The call is forgotten. */
  take(callId: string): string | undefined {
    const began = this.began.get(callId);
    this.began.delete(callId);
    const took = began === undefined ? 0 : this.now() - began;
    return took < LEAST_MS ? undefined : shortDuration(took);
  }
}
