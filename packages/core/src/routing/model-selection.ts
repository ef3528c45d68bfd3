/** applyModelSelection: from the model that was chosen to the one that will be asked, given what is available. */

import type { ModelAvailability } from './availability.ts';
import type { PolicyChain } from './fallback-chains.ts';
import { toModelConfigKey } from './model-config.ts';
import type { ModelConfigKey } from './model-config.ts';

/** What a selection depends on; stands where the documents pass their whole configuration. */
export interface ModelSelectionSource {
  availability: ModelAvailability;
  /** The models that may stand in for this one, beginning with itself; none by default. */
  chainFor?: (model: string) => PolicyChain;
}

export interface ModelSelectionOptions {
  /** Whether this is the request that uses up a model's one attempt of the prompt. Default true. */
  consumeAttempt?: boolean;
}

export interface AppliedModel {
  model: string;
  /** How many requests it is worth before another is asked for. */
  maxAttempts?: number | undefined;
}

/** The first available model of the chain that begins with the key's, else its last resort, else the key's own. */
export function applyModelSelection(
  { availability, chainFor }: ModelSelectionSource,
  key: ModelConfigKey | string,
  { consumeAttempt = true }: ModelSelectionOptions = {},
): AppliedModel {
  const { model } = toModelConfigKey(key);
  const chain = chainFor?.(model) ?? [];
  const selection = availability.selectFirstAvailable(chain.length > 0 ? chain.map((entry) => entry.model) : [model]);
  const selected = selection.model ?? chain.find(({ isLastResort }) => isLastResort)?.model ?? model;
  if (consumeAttempt) availability.consumeStickyAttempt(selected);
  const maxAttempts = selection.attempts ?? chain.find((entry) => entry.model === selected)?.maxAttempts;
  return { model: selected, maxAttempts };
}
