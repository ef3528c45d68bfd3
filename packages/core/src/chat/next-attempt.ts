/**
 * Decides, between two attempts, whether another one follows, on which model and when. It announces the attempt and
 * waits for its time; it sends nothing.
 */

import type { ModelConfigKey } from '../routing/model-config.ts';
import type { RetryPlan } from '../provider/retry-plan.ts';
import { retryRule } from '../provider/retry-table.ts';
import type { RetryPhase } from '../provider/retry-table.ts';
import { ApiError, InvalidStreamError, MODEL_LOADING, toStructuredError } from '../protocol/errors.ts';
import { throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { askForFallback } from './chat-fallback.ts';
import type { ChatFallback } from './chat-fallback.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

export interface FailedAttempt {
  /** The concrete name in the failed request. */
  model: string;
  phase: RetryPhase;
  error: unknown;
}

export interface AttemptTerms {
  plan: RetryPlan;
  /** Absent: no other model replaces it. */
  fallback: ChatFallback | undefined;
  /** The service has answered before, so an unreachable one is likely to return. */
  wasReached: boolean;
  clock: Clock;
  signal: AbortSignal;
}

/** Returns the model key of the next attempt, when it is due. Throws the failure when no attempt follows. */
export async function* waitForNextAttempt(
  failed: FailedAttempt,
  key: ModelConfigKey,
  terms: AttemptTerms,
): AsyncGenerator<StreamEvent, ModelConfigKey> {
  const { plan, fallback, wasReached, clock, signal } = terms;
  const { model, phase, error } = failed;
  throwIfAborted(signal);
  const attemptsBeforeFallback = fallback?.attemptsBefore?.(model, error);
  let next = key;
  let step = plan.next(error, phase, { wasReached, attemptsBeforeFallback });
  if (!step) {
    const other = yield* findFallback(failed, terms);
    if (other === undefined) throw error;
    next = { ...key, model: other };
    step = plan.startOver();
  }
  const isLoading = error instanceof ApiError && error.code === MODEL_LOADING;
  const value = { ...step, model, error: toStructuredError(error), ...(isLoading && { isLoading }) };
  yield { type: StreamEventType.RETRY, value };
  await clock.sleep(step.delayMs, signal);
  return { ...next, isRetry: true, ...(error instanceof InvalidStreamError && { lastStreamError: error.type }) };
}

/** The model failed for good: another replaces it immediately, if there is one and the user does not object. */
async function* findFallback(
  { model, phase, error }: FailedAttempt,
  { fallback, signal }: AttemptTerms,
): AsyncGenerator<StreamEvent, string | undefined> {
  if (!fallback || !retryRule(phase, error).askFallback) return undefined;
  const decision = fallback.decide(model, error);
  if (decision.kind === 'give_up') return undefined;
  return decision.kind === 'switch' ? decision.model : yield* askForFallback(decision, model, signal);
}
