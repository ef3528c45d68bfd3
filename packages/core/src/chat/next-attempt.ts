/**
 * Between two attempts: whether another one follows the one that failed, on which model,
 * and when. It announces the attempt and waits for its time; it makes none.
 */

import type { ModelConfigKey } from '../routing/model-config.ts';
import type { RetryPlan } from '../provider/retry-plan.ts';
import { retryRule } from '../provider/retry-table.ts';
import type { RetryPhase } from '../provider/retry-table.ts';
import { InvalidStreamError, toStructuredError } from '../protocol/errors.ts';
import { throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { askForFallback } from './chat-fallback.ts';
import type { ChatFallback } from './chat-fallback.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

export interface FailedAttempt {
  /** The concrete name the request was sent with. */
  model: string;
  phase: RetryPhase;
  error: unknown;
}

export interface AttemptTerms {
  plan: RetryPlan;
  /** Absent: no other model takes over. */
  fallback: ChatFallback | undefined;
  /** The service has answered before: one that is gone now may well come back. */
  wasReached: boolean;
  clock: Clock;
  signal: AbortSignal;
}

/** Returns what to ask for next, when it is time to. Throws what failed when no attempt follows. */
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
  yield { type: StreamEventType.RETRY, value: { ...step, model, error: toStructuredError(error) } };
  await clock.sleep(step.delayMs, signal);
  return { ...next, isRetry: true, ...(error instanceof InvalidStreamError && { lastStreamError: error.type }) };
}

/** The model failed for good: another takes over at once, if there is one and nobody objects. */
async function* findFallback(
  { model, phase, error }: FailedAttempt,
  { fallback, signal }: AttemptTerms,
): AsyncGenerator<StreamEvent, string | undefined> {
  if (!fallback || !retryRule(phase, error).askFallback) return undefined;
  const decision = fallback.decide(model, error);
  if (decision.kind === 'give_up') return undefined;
  return decision.kind === 'switch' ? decision.model : yield* askForFallback(decision, model, signal);
}
