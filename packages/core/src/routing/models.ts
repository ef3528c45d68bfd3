/**
 * Resolves the names users type to models, and the limits of a request to one. Pure look-ups in a catalogue, the
 * Gemini API's unless another is given; router.ts decides which model serves a request.
 */

import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { ModelCatalogue, ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';

export const DEFAULT_MODEL = 'auto';
/** The documented name of the model that takes over when a quota is exhausted. */
export const DEFAULT_GEMINI_FLASH_MODEL = 'gemini-2.5-flash';

export interface ResolveModelOptions {
  /** Whether preview models may be used; without it they degrade to their stable equivalents. */
  preview?: boolean;
  catalogue?: ModelCatalogue | undefined;
}

/** A generator without a catalogue is assumed to serve Gemini's models. */
export function catalogueOf({ catalogue }: Pick<ContentGenerator, 'catalogue'>): ModelCatalogue {
  return catalogue ?? GEMINI_CATALOGUE;
}

/** The concrete model for an alias or a name. Unknown names pass through trimmed. */
export function resolveModel(requested: string, options: ResolveModelOptions = {}): string {
  const { preview = true, catalogue = GEMINI_CATALOGUE } = options;
  const name = requested.trim();
  const alias = own(catalogue.aliases, name);
  if (alias) return preview ? alias.preview : alias.stable;
  return preview ? name : (own(catalogue.stableModels, name) ?? name);
}

/** Whether the name leaves the choice of model to the router. */
export function isAutoModel(requested: string, catalogue: ModelCatalogue = GEMINI_CATALOGUE): boolean {
  return own(catalogue.aliases, requested.trim())?.isAuto ?? false;
}

/** The facts about a model, or the assumptions about an unknown one. */
export function factsOf(model: string, catalogue: ModelCatalogue = GEMINI_CATALOGUE): ModelFacts {
  return catalogue.find(model) ?? catalogue.unknown;
}

/** The number of tokens that a request to the model or alias may hold. */
export function tokenLimit(model: string, catalogue: ModelCatalogue = GEMINI_CATALOGUE): number {
  return factsOf(resolveModel(model, { catalogue }), catalogue).contextWindow;
}

/** An own-property look-up: `constructor` is not found in every table. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
