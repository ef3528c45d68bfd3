/** The decision after a model failed for good. Types only; fallback.ts decides, the chat carries it out. */

import type { FallbackIntent } from '../protocol/agent-events.ts';

export type FallbackDecision =
  /** No fallback: the caller receives the error. */
  | { kind: 'give_up' }
  /** The other model takes over without a question. */
  | { kind: 'switch'; model: string }
  | FallbackAsk;

/** The user decides. The question is open until `answer` has settled, so every ask must be awaited. */
export interface FallbackAsk {
  kind: 'ask';
  requestId: string;
  fallbackModel: string;
  /** A sentence for the user. */
  message: string;
  /**
   * Resolves with the user's answer; rejects with an AbortError when the signal is aborted first. On `retry_always`
   * and `retry_once` the caller continues with `fallbackModel`, on the others it rethrows the error.
   */
  answer: (signal: AbortSignal) => Promise<FallbackIntent>;
}
