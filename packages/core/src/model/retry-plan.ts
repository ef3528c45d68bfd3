/**
 * RetryPlan: whether a failed attempt is followed by another, and after how long.
 * One plan serves one send, so the number of requests a send can cause is bounded
 * whatever mix of failures it meets. It decides; the caller waits and tries.
 */

import { ApiError, InvalidStreamError } from '../protocol/errors.ts';
import type { Clock } from '../util/clock.ts';

/** Where an attempt failed: before the service accepted the request, or while its answer arrived. */
export type AttemptPhase = 'connect' | 'stream';

export interface RetryLimits {
  /** Requests in all, the first included. */
  maxAttempts?: number;
  /** The first wait after a refused request; doubles up to `maxDelayMs`. */
  initialDelayMs?: number;
  maxDelayMs?: number;
  /** Attempts after the first that may be spent on answers that broke or were unusable. */
  maxStreamRetries?: number;
  /** The first wait after a broken answer; doubles. */
  streamDelayMs?: number;
}

export const DEFAULT_RETRY_LIMITS: Required<RetryLimits> = {
  maxAttempts: 10,
  initialDelayMs: 5000,
  maxDelayMs: 30_000,
  maxStreamRetries: 3,
  streamDelayMs: 1000,
};

/** The documented name for how unusable answers are retried. */
export const INVALID_CONTENT_RETRY_OPTIONS = {
  maxAttempts: DEFAULT_RETRY_LIMITS.maxStreamRetries + 1,
  initialDelayMs: DEFAULT_RETRY_LIMITS.streamDelayMs,
} as const;

const SERVER_DELAY_JITTER = 0.2;
const OWN_DELAY_JITTER = 0.3;

export interface RetryStep {
  /** The attempt that failed, counted from 1. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
}

export class RetryPlan {
  private readonly limits: Required<RetryLimits>;
  private readonly clock: Clock;
  private attempt = 0;
  private streamFailures = 0;
  private delayMs: number;

  constructor(limits: RetryLimits, clock: Clock) {
    this.limits = { ...DEFAULT_RETRY_LIMITS, ...definedOf(limits) };
    if (this.limits.maxAttempts <= 0) throw new Error('maxAttempts must be a positive number.');
    this.clock = clock;
    this.delayMs = this.limits.initialDelayMs;
  }

  /** Takes note of a failed attempt. Undefined: give up. */
  next(error: unknown, phase: AttemptPhase): RetryStep | undefined {
    this.attempt++;
    if (phase === 'stream') this.streamFailures++;
    if (!isRetryable(error) || this.isExhausted) return undefined;
    return { attempt: this.attempt, maxAttempts: this.maxAttempts(phase), delayMs: this.takeDelay(error, phase) };
  }

  /** A new beginning, with another model. */
  reset(): void {
    this.attempt = 0;
    this.streamFailures = 0;
    this.delayMs = this.limits.initialDelayMs;
  }

  private get isExhausted(): boolean {
    return this.attempt >= this.limits.maxAttempts || this.streamFailures > this.limits.maxStreamRetries;
  }

  private maxAttempts(phase: AttemptPhase): number {
    const { maxAttempts, maxStreamRetries } = this.limits;
    return phase === 'connect'
      ? maxAttempts
      : Math.min(maxAttempts, this.attempt - this.streamFailures + maxStreamRetries + 1);
  }

  private takeDelay(error: unknown, phase: AttemptPhase): number {
    const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
    if (asked !== undefined) return Math.round(asked * (1 + SERVER_DELAY_JITTER * this.clock.random()));
    if (phase === 'stream') return this.limits.streamDelayMs * 2 ** (this.streamFailures - 1);
    const jitter = OWN_DELAY_JITTER * (2 * this.clock.random() - 1);
    const delayMs = Math.round(this.delayMs * (1 + jitter));
    this.delayMs = Math.min(this.limits.maxDelayMs, this.delayMs * 2);
    return delayMs;
  }
}

export function isRetryable(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof InvalidStreamError) && error.retryable;
}

function definedOf(limits: RetryLimits): RetryLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
}
