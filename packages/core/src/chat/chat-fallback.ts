/**
 * ChatFallback: the port through which a chat learns what to do when a model failed
 * and no further attempt is due. The chat only carries the decision out; which
 * models may stand in for which, and who is asked, is decided behind the port.
 */

import type { FallbackDecision } from '../model/fallback-decision.ts';

export type { FallbackAsk, FallbackDecision } from '../model/fallback-decision.ts';

export interface ChatFallback {
  /**
   * Asked once for each model that failed for good, with the error its last attempt
   * ended with. `failedModel` is the concrete name the request was sent with. Never throws.
   */
  decide(failedModel: string, error: unknown): FallbackDecision;
  /** Told when the model gave an accepted turn. */
  succeeded?(model: string): void;
}
