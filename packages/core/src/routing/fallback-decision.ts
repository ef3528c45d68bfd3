/** What is to be done after a model failed for good. Types only; taken in fallback.ts, carried out by the chat. */

import type { FallbackIntent } from '../protocol/agent-events.ts';

export type FallbackDecision =
  /** No fallback: the caller receives the error. */
  | { kind: 'give_up' }
  /** The other model takes over without a question. */
  | { kind: 'switch'; model: string }
  | FallbackAsk;

/** The person decides. The question is open until `answer` has settled, so every ask must be awaited. */
export interface FallbackAsk {
  kind: 'ask';
  requestId: string;
  fallbackModel: string;
  /** A sentence for the person. */
  message: string;
  /**
   * Resolves with the person's answer; rejects with an AbortError when the signal is
   * aborted first. On `retry_always` and `retry_once` the caller goes on with
   * `fallbackModel`, on the others it lets the error out.
   */
  answer: (signal: AbortSignal) => Promise<FallbackIntent>;
}
