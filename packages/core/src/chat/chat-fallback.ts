/**
 * ChatFallback: the port that decides how a chat continues when a model failed and no retry is due. The chat only
 * carries the decision out; the implementation decides which models may replace which, and whether to ask the user.
 */

import { GeminiEventType } from '../protocol/events.ts';
import type { FallbackAsk, FallbackDecision } from '../routing/fallback-decision.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

export type { FallbackAsk, FallbackDecision } from '../routing/fallback-decision.ts';

export interface ChatFallback {
  /**
   * Called once for each model that failed for good, with the error of its last attempt. `failedModel` is the
   * concrete name in the request. Never throws.
   */
  decide(failedModel: string, error: unknown): FallbackDecision;
  /**
   * The number of requests before `decide` is called; undefined without a possible replacement, where giving up early
   * would not help. Has no effects.
   */
  attemptsBefore?(model: string, error: unknown): number | undefined;
  /** Called when the model returned an accepted turn. */
  succeeded?(model: string): void;
}

/** Returns the model that replaces the failed one; undefined when the user declined. */
export async function* askForFallback(
  { requestId, fallbackModel, message, answer }: FallbackAsk,
  failedModel: string,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, string | undefined> {
  const question = { type: GeminiEventType.FallbackRequested, requestId, failedModel, fallbackModel, message } as const;
  yield { type: StreamEventType.FALLBACK, value: question };
  const intent = await answer(signal).catch(() => 'stop' as const);
  yield { type: StreamEventType.FALLBACK, value: { type: GeminiEventType.FallbackAnswered, requestId, intent } };
  return intent === 'retry_always' || intent === 'retry_once' ? fallbackModel : undefined;
}
