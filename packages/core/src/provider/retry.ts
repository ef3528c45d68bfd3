/**
 * retryWithBackoff: asks again while the table says it is worth it. It owns the
 * attempts of the connection phase and their pace, and nothing else: what an
 * error means is decided where it was born. Every wait ends with the signal.
 */

import { getErrorMessage, isAbortError } from '../protocol/errors.ts';
import { type Clock, systemClock, throwIfAborted } from '../util/clock.ts';
import { askedDelay, serverDelay, withJitter } from './retry-pace.ts';
import { RETRY_BUDGETS, type RetryBudget, type RetryRule, retryRule } from './retry-table.ts';

export interface RetryOptions<T = unknown> {
  /** Counts the first attempt too. Null stands for the default, here and below. */
  maxAttempts?: number | null;
  initialDelayMs?: number | null;
  maxDelayMs?: number | null;
  /** A server that asks for a longer wait is not waited for. Default: every wait the server may ask for. */
  maxServerDelayMs?: number | null;
  /** Replaces the table's verdict on trying again; aborts are never asked about. */
  shouldRetryOnError?: ((error: unknown) => boolean) | null;
  /** The documents' older name for `shouldRetryOnError`, which wins where both are given. */
  shouldRetry?: ((error: Error) => boolean) | null;
  /** Whether an answer is so poor that it counts as a failed attempt. */
  shouldRetryOnContent?: ((content: T) => boolean) | null;
  /**
   * Asked when the attempts are used up on 429 or 5xx, and at once on a spent
   * quota or a missing model. A truthy answer (the name of another model, or
   * true) starts over with a full set of attempts; any other lets the error out.
   */
  onPersistent429?: ((authType?: string, error?: unknown) => Promise<string | boolean | null>) | null;
  /** Handed to `onPersistent429`. */
  authType?: string | undefined;
  /** Told before each wait. `attempt` is the one that failed, from 1. */
  onRetry?: ((attempt: number, error: unknown, delayMs: number) => void) | null;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

/** Rejects with what the last attempt rejected with, or with an AbortError. */
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
    if (rule.retry && attempt < attemptsBeforeAsking(rule, maxAttempts)) {
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
  const retry = options.shouldRetryOnError?.(error) ?? options.shouldRetry?.(toError(error)) ?? rule.retry;
  return {
    ...rule,
    retry: retry && askedDelay(error) <= (options.maxServerDelayMs ?? Infinity),
    // Patience ends only where a caller can offer another model.
    ...(patienceMs && options.onPersistent429 && { patienceMs }),
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(getErrorMessage(error), { cause: error });
}

function attemptsBeforeAsking({ patienceMs }: RetryRule, maxAttempts: number): number {
  return patienceMs ? Math.min(maxAttempts, patienceMs.length + 1) : maxAttempts;
}
