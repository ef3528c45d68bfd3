/** applyModelSelection: maps the chosen model to the one that receives the request, given availability. */

import type { ModelAvailability } from './availability.ts';
import type { PolicyChain } from './fallback-chains.ts';
import { toModelConfigKey } from './model-config.ts';
import type { ModelConfigKey } from './model-config.ts';

/** The inputs of a selection; replaces the whole configuration that the documents pass. */
export interface ModelSelectionSource {
  availability: ModelAvailability;
  /** The models that may replace this one, starting with itself; none by default. */
  chainFor?: (model: string) => PolicyChain;
}

export interface ModelSelectionOptions {
  /** Whether this request uses up a model's one attempt of the prompt. Default true. */
  consumeAttempt?: boolean;
}

export interface AppliedModel {
  model: string;
  /** The number of requests before another model is chosen. */
  maxAttempts?: number | undefined;
}

/**
 * The first available model of the chain that starts with the key's model, else its last resort, else the key's own
 * model.
 */
export function applyModelSelection(
  { availability, chainFor }: ModelSelectionSource,
  key: ModelConfigKey | string,
  { consumeAttempt = true }: ModelSelectionOptions = {},
): AppliedModel {
  if (typeof availability?.selectFirstAvailable !== 'function') {
    throw new TypeError('Use applyModelSelection({availability, chainFor}, {model}, {consumeAttempt}).');
  }
  const { model } = toModelConfigKey(key);
  const chain = chainFor?.(model) ?? [];
  const selection = availability.selectFirstAvailable(chain.length > 0 ? chain.map((entry) => entry.model) : [model]);
  const selected = selection.model ?? chain.find(({ isLastResort }) => isLastResort)?.model ?? model;
  if (consumeAttempt) availability.consumeStickyAttempt(selected);
  const maxAttempts = selection.attempts ?? chain.find((entry) => entry.model === selected)?.maxAttempts;
  return { model: selected, maxAttempts };
}
