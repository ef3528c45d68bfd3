/**
 * ChatFallback: the port through which a chat learns what to do when a model failed
 * and no further attempt is due. The chat only carries the decision out; which
 * models may stand in for which, and who is asked, is decided behind the port.
 */

import { GeminiEventType } from '../protocol/events.ts';
import type { FallbackAsk, FallbackDecision } from '../routing/fallback-decision.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

export type { FallbackAsk, FallbackDecision } from '../routing/fallback-decision.ts';

export interface ChatFallback {
  /**
   * Asked once for each model that failed for good, with the error its last attempt
   * ended with. `failedModel` is the concrete name the request was sent with. Never throws.
   */
  decide(failedModel: string, error: unknown): FallbackDecision;
  /**
   * Requests the model is worth before `decide` is asked; undefined when nobody could
   * take over, so that giving up early would help nobody. Changes nothing.
   */
  attemptsBefore?(model: string, error: unknown): number | undefined;
  /** Told when the model gave an accepted turn. */
  succeeded?(model: string): void;
}

/** The model that may take over; undefined when the person said no. */
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
