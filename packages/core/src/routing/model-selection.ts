/** applyModelSelection: from the model that was chosen to the one that will be asked, given what is available. */

import type { ModelAvailability } from './availability.ts';
import type { PolicyChain } from './fallback-chains.ts';

export interface AppliedModel {
  model: string;
  /** How many requests it is worth before another is asked for. */
  maxAttempts?: number | undefined;
}

/**
 * The first available model of the chain that begins with `model`, else its last
 * resort, else `model` itself. Uses up a model's one attempt of the turn, so call it
 * once for each request.
 */
export function applyModelSelection(
  model: string,
  availability: ModelAvailability,
  chain: PolicyChain = [],
): AppliedModel {
  const selection = availability.selectFirstAvailable(chain.length > 0 ? chain.map((entry) => entry.model) : [model]);
  const selected = selection.model ?? chain.find(({ isLastResort }) => isLastResort)?.model ?? model;
  availability.consumeStickyAttempt(selected);
  const maxAttempts = selection.attempts ?? chain.find((entry) => entry.model === selected)?.maxAttempts;
  return { model: selected, maxAttempts };
}
