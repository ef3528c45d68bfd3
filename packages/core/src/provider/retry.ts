/**
 * retryWithBackoff: retries while the table allows it. It owns the attempts of the connection phase and their delays;
 * the meaning of an error is decided where it is created. Every delay ends with the signal.
 */

import { extractStatusCode, getErrorMessage, isAbortError } from '../protocol/errors.ts';
import { type Clock, systemClock, throwIfAborted } from '../util/clock.ts';
import { askedDelay, serverDelay, withJitter } from './retry-pace.ts';
import { RETRY_BUDGETS, attemptsFor, type RetryBudget, type RetryRule, retryKind, retryRule } from './retry-table.ts';

export interface RetryOptions<T = unknown> {
  /** Includes the first attempt. Null selects the default, here and below. */
  maxAttempts?: number | null;
  initialDelayMs?: number | null;
  maxDelayMs?: number | null;
  /** A longer delay from the server makes the error final. Default: no limit. */
  maxServerDelayMs?: number | null;
  /** Overrides the table's decision to retry; never called for aborts. */
  shouldRetryOnError?: ((error: unknown) => boolean) | null;
  /**
   * The documented older name of `shouldRetryOnError`, which wins where both are given. The documents decide by the
   * message, so the error it gets has the status in its message.
   */
  shouldRetry?: ((error: Error) => boolean) | null;
  /** Whether an answer counts as a failed attempt. */
  shouldRetryOnContent?: ((content: T) => boolean) | null;
  /**
   * Called when the attempts are exhausted on 429 or 5xx, and immediately on an exhausted quota or a missing model. A
   * truthy answer (the name of another model, or true) restarts with a full set of attempts; any other rethrows the
   * error.
   */
  onPersistent429?: ((authType?: string, error?: unknown) => Promise<string | boolean | null>) | null;
  /** Passed to `onPersistent429`. */
  authType?: string | undefined;
  /** Called before each delay. `attempt` is the failed one, from 1. */
  onRetry?: ((attempt: number, error: unknown, delayMs: number) => void) | null;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

/** Rejects with the error of the last attempt, or with an AbortError. */
export async function retryWithBackoff<T>(run: () => Promise<T>, options: RetryOptions<T> = {}): Promise<T> {
  const { clock = systemClock, signal, onRetry, onPersistent429, authType } = options;
  const { maxAttempts, initialDelayMs, maxDelayMs } = budgetOf(options);
  let ownDelayMs = initialDelayMs;
  let attempt = 0;

  for (;;) {
    throwIfAborted(signal);
    attempt += 1;
    const outcome = await tryOnce(run, options);
    if (outcome.accepted) return outcome.content;

    const { error, rule } = outcome;
    if (rule.retry && attempt < attemptsBeforeAsking(rule, attemptsFor(error, maxAttempts))) {
      const delayMs = serverDelay(error, clock) ?? rule.patienceMs?.[attempt - 1] ?? withJitter(ownDelayMs, clock);
      onRetry?.(attempt, error, delayMs);
      await clock.sleep(delayMs, signal);
      ownDelayMs = Math.min(maxDelayMs, ownDelayMs * 2);
    } else {
      const startOver = rule.askFallback && (await onPersistent429?.(authType, error));
      if (!startOver) throw error;
      attempt = 0;
      ownDelayMs = initialDelayMs;
    }
  }
}

function budgetOf(options: RetryOptions<never>): RetryBudget {
  const { maxAttempts, initialDelayMs, maxDelayMs } = RETRY_BUDGETS.connect;
  const budget = {
    maxAttempts: options.maxAttempts ?? maxAttempts,
    initialDelayMs: options.initialDelayMs ?? initialDelayMs,
    maxDelayMs: options.maxDelayMs ?? maxDelayMs,
  };
  if (!(budget.maxAttempts > 0)) throw new Error('maxAttempts must be a positive number.');
  return { ...budget, initialDelayMs: Math.min(budget.initialDelayMs, budget.maxDelayMs) };
}

type Outcome<T> = { accepted: true; content: T } | { accepted: false; error: unknown; rule: RetryRule };

async function tryOnce<T>(run: () => Promise<T>, options: RetryOptions<T>): Promise<Outcome<T>> {
  try {
    const content = await run();
    if (!options.shouldRetryOnContent?.(content)) return { accepted: true, content };
    const error = new Error('Retry attempts exhausted');
    return { accepted: false, error, rule: { retry: true, askFallback: false } };
  } catch (error) {
    throwIfAborted(options.signal);
    if (isAbortError(error)) throw error;
    return { accepted: false, error, rule: ruleFor(error, options) };
  }
}

function ruleFor(error: unknown, options: RetryOptions<never>): RetryRule {
  const { patienceMs, ...rule } = retryRule('connect', error);
  const retry = options.shouldRetryOnError?.(error) ?? options.shouldRetry?.(withStatus(error)) ?? rule.retry;
  return {
    ...rule,
    askFallback: rule.askFallback || isPlain429(error),
    retry: retry && askedDelay(error) <= (options.maxServerDelayMs ?? Infinity),
    // The limited patience applies only where the caller can offer another model.
    ...(patienceMs && options.onPersistent429 && { patienceMs }),
  };
}

/** The same error, of the same class, whose message holds the status. */
function withStatus(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(getErrorMessage(error), { cause: error });
  const status = extractStatusCode(error);
  if (status === undefined || known.message.includes(String(status))) return known;
  const message = `got status: ${status}. ${known.message}`;
  return Object.create(known, { message: { value: message, enumerable: true } }) as Error;
}

/** A plain error of a caller has nothing but its message. */
function isPlain429(error: unknown): boolean {
  return retryKind(error) === 'unknown' && /\b429\b/.test(getErrorMessage(error));
}

function attemptsBeforeAsking({ patienceMs }: RetryRule, maxAttempts: number): number {
  return patienceMs ? Math.min(maxAttempts, patienceMs.length + 1) : maxAttempts;
}
