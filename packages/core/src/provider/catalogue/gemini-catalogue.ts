/**
 * GEMINI_CATALOGUE: facts, presets, fallback chains and prices of the Gemini API's models. Data only. Prices are US
 * dollars per million tokens of text, standard tier, paid plan, collected from public price tables in August 2026; a
 * model without a known price has no row.
 */

import type { GenerateContentConfig } from '../../protocol/content.ts';
import type {
  FallbackChain,
  ModelAlias,
  ModelCatalogue,
  ModelConfigAlias,
  ModelConfigAliases,
  ModelConfigValues,
  ModelFacts,
  ModelPrice,
  PriceTable,
} from './model-catalogue.ts';

const PRO_3 = 'gemini-3-pro-preview';
const FLASH_3 = 'gemini-3-flash-preview';
const LITE_3 = 'gemini-3.1-flash-lite';
const PRO_2 = 'gemini-2.5-pro';
const FLASH_2 = 'gemini-2.5-flash';
const LITE_2 = 'gemini-2.5-flash-lite';

const PREVIEW_PROS = [PRO_3, 'gemini-3.1-pro-preview', 'gemini-3.1-pro-preview-customtools'];

/** A hosted model has at least this window today; too small a guess only compresses early, too large a one overflows. */
const UNKNOWN: ModelFacts = {
  contextWindow: 128_000,
  mediaInResponses: false,
  helpedByTodos: false,
  chatPreset: 'chat-base',
  gradedBy: 'choice',
};

/** Families by name. Every matching row applies; a later one overrides an earlier one. */
const FAMILIES: readonly [name: RegExp, facts: Partial<ModelFacts>][] = [
  // The name of a tuned model does not reveal its base model, only that the base is one of these. A later generation is
  // unknown until it has a row.
  [/^(gemini-(1\.5|2|3)|gemini-(pro|flash|flash-lite)-latest|tunedModels\/)/, { contextWindow: 1_048_576 }],
  [/^gemma-4-/, { contextWindow: 256_000 }],
  [/^gemini-2(?!.*preview)/, { helpedByTodos: true }],
  [/^gemini-2\.5/, { chatPreset: 'chat-base-2.5', variants: { pro: PRO_2, flash: FLASH_2 } }],
  [/^gemini-3/, { chatPreset: 'chat-base-3', gradedBy: 'number' }],
  [/^gemini-3-/, { mediaInResponses: true }],
  [/^gemini-2\.5[^-]*-pro/, { compressionPreset: 'chat-compression-2.5-pro' }],
  [/^gemini-2\.5[^-]*-flash/, { compressionPreset: 'chat-compression-2.5-flash' }],
  [/^gemini-2\.5[^-]*-flash-lite/, { compressionPreset: 'chat-compression-2.5-flash-lite' }],
  [/^gemini-3[^-]*-pro/, { compressionPreset: 'chat-compression-3-pro' }],
  [/^gemini-3[^-]*-flash(?!-lite)/, { compressionPreset: 'chat-compression-3-flash' }],
];

const ALIASES: Readonly<Record<string, ModelAlias>> = {
  auto: { preview: PRO_3, stable: PRO_2, isAuto: true },
  'auto-gemini-3': { preview: PRO_3, stable: PRO_2, isAuto: true },
  'auto-gemini-2.5': { preview: PRO_2, stable: PRO_2, isAuto: true },
  pro: { preview: PRO_3, stable: PRO_2 },
  flash: { preview: FLASH_3, stable: FLASH_2 },
  'flash-lite': { preview: LITE_3, stable: LITE_3 },
};

const CHAINS: readonly FallbackChain[] = [
  { leads: PREVIEW_PROS, others: [FLASH_3], wraps: true },
  { leads: [PRO_2], others: [FLASH_2] },
  { leads: [LITE_3], others: [FLASH_2, PRO_2], silent: true },
];

const PRICE_OF_PRO_3: ModelPrice = {
  input: 2,
  output: 12,
  cached: 0.2,
  long: { above: 200_000, input: 4, output: 18, cached: 0.4 },
};

const PRICES: PriceTable = {
  ...Object.fromEntries(PREVIEW_PROS.map((model) => [model, PRICE_OF_PRO_3])),
  [FLASH_3]: { input: 0.5, output: 3, cached: 0.05 },
  'gemini-3.5-flash': { input: 1.5, output: 9, cached: 0.15 },
  [LITE_3]: { input: 0.25, output: 1.5, cached: 0.025 },
  [PRO_2]: {
    input: 1.25,
    output: 10,
    cached: 0.125,
    long: { above: 200_000, input: 2.5, output: 15, cached: 0.25 },
  },
  [FLASH_2]: { input: 0.3, output: 2.5, cached: 0.03 },
  [LITE_2]: { input: 0.1, output: 0.4, cached: 0.01 },
};

/** Root presets hold settings without a model; the others name a model, directly or by alias. */
const PRESETS: ModelConfigAliases = {
  base: preset(undefined, { generateContentConfig: { temperature: 0, topP: 1 } }),
  'chat-base': preset('base', {
    generateContentConfig: { thinkingConfig: { includeThoughts: true }, temperature: 1, topP: 0.95, topK: 64 },
  }),
  'chat-base-2.5': preset('chat-base', { generateContentConfig: { thinkingConfig: { thinkingBudget: 8192 } } }),
  'chat-base-3': preset('chat-base', { generateContentConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } }),

  classifier: utility('flash-lite', { maxOutputTokens: 1024, thinkingConfig: { thinkingBudget: 512 } }),
  'prompt-completion': utility('flash-lite', {
    temperature: 0.3,
    maxOutputTokens: 16_000,
    thinkingConfig: { thinkingBudget: 0 },
  }),
  'fast-ack-helper': utility('flash-lite', {
    temperature: 0.2,
    maxOutputTokens: 120,
    thinkingConfig: { thinkingBudget: 0 },
  }),
  'edit-corrector': utility('flash-lite', { thinkingConfig: { thinkingBudget: 0 } }),
  'summarizer-default': utility('flash-lite', { maxOutputTokens: 2000 }),
  'summarizer-shell': utility('flash-lite', { maxOutputTokens: 2000 }),
  'context-snapshotter': utility('flash'),
  'agent-history-provider-summarizer': utility('flash'),

  'web-search': utility('flash', { tools: [{ googleSearch: {} }] }),
  'web-fetch': utility('flash', { tools: [{ urlContext: {} }] }),
  'web-fetch-fallback': utility('flash'),

  'loop-detection': utility('flash'),
  'loop-detection-double-check': utility('pro'),
  'llm-edit-fixer': utility('flash'),
  'next-speaker-checker': utility('flash'),

  'chat-compression-3-pro': preset(undefined, { model: PRO_3 }),
  'chat-compression-3-flash': preset(undefined, { model: FLASH_3 }),
  'chat-compression-2.5-pro': preset(undefined, { model: PRO_2 }),
  'chat-compression-2.5-flash': preset(undefined, { model: FLASH_2 }),
  'chat-compression-2.5-flash-lite': preset(undefined, { model: LITE_2 }),
  'chat-compression-default': preset(undefined, { model: 'pro' }),
};

function preset(parent: string | undefined, modelConfig: ModelConfigValues): ModelConfigAlias {
  return { extends: parent, modelConfig };
}

function utility(model: string, generateContentConfig: GenerateContentConfig = {}): ModelConfigAlias {
  return preset('base', { model, generateContentConfig });
}

/** Every turn asks several times about the same few names. */
const remembered = new Map<string, ModelFacts | undefined>();
const MOST_REMEMBERED = 100;

function find(model: string): ModelFacts | undefined {
  if (remembered.has(model)) return remembered.get(model);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const facts = findFamilies(model);
  remembered.set(model, facts);
  return facts;
}

/** The service accepts `models/x` for `x`. */
function findFamilies(model: string): ModelFacts | undefined {
  const names = [model, model.replace(/^(models|tunedModels)\//, '')];
  const rows = FAMILIES.filter(([family]) => names.some((name) => family.test(name)));
  if (rows.length === 0) return undefined;
  return Object.freeze(Object.assign({ ...UNKNOWN }, ...rows.map(([, facts]) => facts)) as ModelFacts);
}

export const GEMINI_CATALOGUE: ModelCatalogue = {
  find,
  unknown: UNKNOWN,
  aliases: ALIASES,
  stableModels: { ...Object.fromEntries(PREVIEW_PROS.map((model) => [model, PRO_2])), [FLASH_3]: FLASH_2 },
  presets: PRESETS,
  chains: CHAINS,
  prices: PRICES,
};
