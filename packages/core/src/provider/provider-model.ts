/** Splits the name of a model into its provider and the provider's own name for it. Apart from the table of providers, since every run loads it. */

/** A Gemini name with a slash of its own: these words are collections, never providers. */
const COLLECTION = /^\s*(?:models|tunedModels|publishers|projects|endpoints)\s*\//;

export interface ProviderModel {
  provider: string;
  /** Slashes and colons included; empty for `provider/` alone. */
  model: string;
}

/**
 * Splits `provider/model`. Undefined for a Gemini name: one without a slash, or with one that belongs to it. The
 * provider is not checked here; an unknown one is an error of the caller's, never a Gemini name.
 */
export function parseProviderModel(name: string): ProviderModel | undefined {
  const slash = name.indexOf('/');
  const provider = name.slice(0, Math.max(slash, 0)).trim().toLowerCase();
  if (provider === '' || COLLECTION.test(name)) return undefined;
  return { provider: provider === 'google' ? 'gemini' : provider, model: name.slice(slash + 1).trim() };
}
