/**
 * RetryPlan: decides whether a failed attempt is retried, and after which delay. One plan serves one send, so the
 * number of requests per send is bounded for every mix of failures. It decides; the caller waits and retries.
 */

import type { Clock } from '../util/clock.ts';
import { serverDelay, withJitter } from './retry-pace.ts';
import { attemptsFor, isNetworkFailure, RETRY_BUDGETS, retryRule } from './retry-table.ts';
import type { RetryPhase, RetryRule } from './retry-table.ts';

export interface RetryLimits {
  /** Requests in all, the first included. */
  maxAttempts?: number;
  /** The first delay after a rejected request; doubles up to `maxDelayMs`. */
  initialDelayMs?: number;
  maxDelayMs?: number;
  /** Retries after broken or unusable answers. */
  maxStreamRetries?: number;
  /** The first delay after a broken answer; doubles. */
  streamDelayMs?: number;
  /** Whether a failed connection is retried. Default true. */
  retryNetworkErrors?: boolean;
}

const DEFAULT_RETRY_LIMITS: Required<RetryLimits> = {
  maxAttempts: RETRY_BUDGETS.connect.maxAttempts,
  initialDelayMs: RETRY_BUDGETS.connect.initialDelayMs,
  maxDelayMs: RETRY_BUDGETS.connect.maxDelayMs,
  maxStreamRetries: RETRY_BUDGETS.stream.maxAttempts - 1,
  streamDelayMs: RETRY_BUDGETS.stream.initialDelayMs,
  retryNetworkErrors: true,
};

/** The documented name of the budget for unusable answers. */
export const INVALID_CONTENT_RETRY_OPTIONS = RETRY_BUDGETS.stream;

export interface RetryStep {
  /** The attempt that failed, counted from 1. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
}

export interface RetryCircumstances {
  /** Whether the service has ever answered. */
  wasReached: boolean;
  /** The number of requests before another model takes over; undefined without a fallback. */
  attemptsBeforeFallback?: number | undefined;
}

export class RetryPlan {
  private readonly limits: Required<RetryLimits>;
  private readonly clock: Clock;
  private attempt = 0;
  private wasReached = false;
  private streamFailures = 0;
  private delayMs: number;

  constructor(limits: RetryLimits, clock: Clock) {
    this.limits = { ...DEFAULT_RETRY_LIMITS, ...definedOf(limits) };
    if (this.limits.maxAttempts <= 0) throw new Error('maxAttempts must be a positive number.');
    this.clock = clock;
    this.delayMs = this.limits.initialDelayMs;
  }

  /** Records a failed attempt. Undefined: give up. */
  next(error: unknown, phase: RetryPhase, circumstances: RetryCircumstances): RetryStep | undefined {
    this.attempt++;
    if (phase === 'stream') this.streamFailures++;
    const rule = retryRule(phase, error);
    this.wasReached ||= circumstances.wasReached || rule.firstContactMs === undefined;
    const waits = this.waitsOf(rule, circumstances);
    const maxAttempts = Math.min(attemptsFor(error, this.maxAttempts(phase)), ...limitsOf(rule, waits, circumstances));
    if (!rule.retry || this.attempt >= maxAttempts || !this.isWorthIt(error)) return undefined;
    return { attempt: this.attempt, maxAttempts, delayMs: this.takeDelay(error, phase, waits?.[this.attempt - 1]) };
  }

  /** Restarts immediately, with another model. */
  startOver(): RetryStep {
    const { attempt } = this;
    this.attempt = 0;
    this.streamFailures = 0;
    this.delayMs = this.limits.initialDelayMs;
    return { attempt, maxAttempts: this.limits.maxAttempts, delayMs: 0 };
  }

  private isWorthIt(error: unknown): boolean {
    return this.limits.retryNetworkErrors || !isNetworkFailure(error);
  }

  /** The rule's own delays, if it has any for these circumstances. */
  private waitsOf(rule: RetryRule, { attemptsBeforeFallback }: RetryCircumstances): readonly number[] | undefined {
    if (!this.wasReached) return rule.firstContactMs;
    return attemptsBeforeFallback === undefined ? undefined : rule.patienceMs;
  }

  private maxAttempts(phase: RetryPhase): number {
    const { maxAttempts, maxStreamRetries } = this.limits;
    return phase === 'connect'
      ? maxAttempts
      : Math.min(maxAttempts, this.attempt - this.streamFailures + maxStreamRetries + 1);
  }

  private takeDelay(error: unknown, phase: RetryPhase, wait: number | undefined): number {
    const asked = serverDelay(error, this.clock) ?? wait;
    if (asked !== undefined) return asked;
    if (phase === 'stream') return this.limits.streamDelayMs * 2 ** (this.streamFailures - 1);
    const delayMs = withJitter(this.delayMs, this.clock);
    this.delayMs = Math.min(this.limits.maxDelayMs, this.delayMs * 2);
    return delayMs;
  }
}

function limitsOf(
  rule: RetryRule,
  waits: readonly number[] | undefined,
  { attemptsBeforeFallback }: RetryCircumstances,
): number[] {
  return [
    ...(waits ? [waits.length + 1] : []),
    ...(rule.askFallback && attemptsBeforeFallback !== undefined ? [attemptsBeforeFallback] : []),
  ];
}

function definedOf(limits: RetryLimits): RetryLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
}
