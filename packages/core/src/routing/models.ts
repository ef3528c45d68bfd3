/**
 * Model names, the aliases people type, and what a model can hold. Plain data
 * and pure look-ups; which model serves a request is decided in router.ts.
 */

export const GEMINI_3_PRO_PREVIEW = 'gemini-3-pro-preview';
export const GEMINI_3_FLASH_PREVIEW = 'gemini-3-flash-preview';
export const GEMINI_3_1_FLASH_LITE = 'gemini-3.1-flash-lite';
export const GEMINI_2_5_PRO = 'gemini-2.5-pro';
export const GEMINI_2_5_FLASH = 'gemini-2.5-flash';
export const GEMINI_2_5_FLASH_LITE = 'gemini-2.5-flash-lite';

export const DEFAULT_MODEL = 'auto';
/** The documents' name for the model that takes over when a quota is spent. */
export const DEFAULT_GEMINI_FLASH_MODEL = GEMINI_2_5_FLASH;

/** What an alias stands for, with and without access to preview models. */
const ALIASES: Readonly<Record<string, { preview: string; stable: string }>> = {
  auto: { preview: GEMINI_3_PRO_PREVIEW, stable: GEMINI_2_5_PRO },
  pro: { preview: GEMINI_3_PRO_PREVIEW, stable: GEMINI_2_5_PRO },
  flash: { preview: GEMINI_3_FLASH_PREVIEW, stable: GEMINI_2_5_FLASH },
  'flash-lite': { preview: GEMINI_3_1_FLASH_LITE, stable: GEMINI_3_1_FLASH_LITE },
  'auto-gemini-3': { preview: GEMINI_3_PRO_PREVIEW, stable: GEMINI_2_5_PRO },
  'auto-gemini-2.5': { preview: GEMINI_2_5_PRO, stable: GEMINI_2_5_PRO },
};

/** The stable model that stands in for a preview one. */
const STABLE_EQUIVALENTS: Readonly<Record<string, string>> = {
  [GEMINI_3_PRO_PREVIEW]: GEMINI_2_5_PRO,
  'gemini-3.1-pro-preview': GEMINI_2_5_PRO,
  'gemini-3.1-pro-preview-customtools': GEMINI_2_5_PRO,
  [GEMINI_3_FLASH_PREVIEW]: GEMINI_2_5_FLASH,
};

const DEFAULT_TOKEN_LIMIT = 1_048_576;

const TOKEN_LIMITS: Readonly<Record<string, number>> = {
  'gemma-4-31b-it': 256_000,
  'gemma-4-26b-a4b-it': 256_000,
};

export interface ResolveModelOptions {
  /** Whether preview models may be used; without it they degrade to their stable equivalents. */
  preview?: boolean;
}

/** The concrete model for an alias or a name. Names nobody here knows pass through trimmed. */
export function resolveModel(requested: string, options: ResolveModelOptions = {}): string {
  const name = requested.trim();
  const preview = options.preview ?? true;
  const alias = own(ALIASES, name);
  if (alias) return preview ? alias.preview : alias.stable;
  return preview ? name : (own(STABLE_EQUIVALENTS, name) ?? name);
}

/** Whether the name leaves the choice of model to the router. */
export function isAutoModel(requested: string): boolean {
  const name = requested.trim();
  return name === 'auto' || name === 'auto-gemini-3' || name === 'auto-gemini-2.5';
}

/** How many tokens a request to the model may hold. */
export function tokenLimit(model: string): number {
  return own(TOKEN_LIMITS, model.replace(/^models\//, '')) ?? DEFAULT_TOKEN_LIMIT;
}

/** A table look-up that does not find `constructor` in every table. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
