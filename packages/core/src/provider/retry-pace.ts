/**
 * Calculates the delay before the next attempt. A delay from the server replaces ours and is never undercut; our own
 * delay is jittered so that clients do not retry in step. Pure except for the clock's random numbers.
 */

import { ApiError } from '../protocol/errors.ts';
import type { Clock } from '../util/clock.ts';
import { classifyForeignError } from './foreign-error.ts';

/** Jitter of our own delay, in both directions. */
const OWN_JITTER = 0.3;
/** Jitter of the server's delay, upwards only. */
const SERVER_JITTER = 0.2;

/** The delay the server asked for, in milliseconds; 0 when it asked for none. */
export function askedDelay(error: unknown): number {
  const classified = classifyForeignError(error);
  return classified instanceof ApiError ? (classified.retryAfterMs ?? 0) : 0;
}

/** The jittered delay the server asked for; undefined when it asked for none. */
export function serverDelay(error: unknown, clock: Clock): number | undefined {
  // A delay of zero sets no pace; ours keeps a busy server from being flooded.
  return Math.round(askedDelay(error) * (1 + clock.random() * SERVER_JITTER)) || undefined;
}

export function withJitter(delayMs: number, clock: Clock): number {
  return Math.round(delayMs * (1 + (clock.random() * 2 - 1) * OWN_JITTER));
}
