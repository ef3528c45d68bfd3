/**
 * How long to wait before the next attempt. The server's word replaces ours and
 * is never undercut; our own pace is spread so that clients do not come back in
 * step. Pure but for the clock's dice.
 */

import { ApiError } from '../protocol/errors.ts';
import type { Clock } from '../util/clock.ts';
import { classifyForeignError } from './foreign-error.ts';

/** Our own pace, give or take this share. */
const OWN_JITTER = 0.3;
/** The server's pace, plus at most this share. */
const SERVER_JITTER = 0.2;

/** The delay the server asked for, in milliseconds; 0 when it named none. */
export function askedDelay(error: unknown): number {
  const classified = classifyForeignError(error);
  return classified instanceof ApiError ? (classified.retryAfterMs ?? 0) : 0;
}

/** How long to wait because the server asked for it; undefined when it named no delay. */
export function serverDelay(error: unknown, clock: Clock): number | undefined {
  // "Come back after nothing" names no pace; ours keeps a busy server from being hammered.
  return Math.round(askedDelay(error) * (1 + clock.random() * SERVER_JITTER)) || undefined;
}

export function withJitter(delayMs: number, clock: Clock): number {
  return Math.round(delayMs * (1 + (clock.random() * 2 - 1) * OWN_JITTER));
}
