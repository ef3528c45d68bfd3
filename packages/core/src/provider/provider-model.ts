/** Splits the name of a model into its provider and the provider's own name for it. Apart from the table: every run loads it. */

/** First words of a Gemini name that are no provider. */
const GEMINI_COLLECTIONS: ReadonlySet<string> = new Set([
  'models',
  'tunedModels',
  'publishers',
  'projects',
  'endpoints',
]);

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
  if (provider === '' || GEMINI_COLLECTIONS.has(name.slice(0, slash).trim())) return undefined;
  return { provider: provider === 'google' ? 'gemini' : provider, model: name.slice(slash + 1).trim() };
}
