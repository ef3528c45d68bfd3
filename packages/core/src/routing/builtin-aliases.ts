/**
 * The presets requests are made from, as one table. Roots hold settings and name no
 * model; the others name one, by a concrete name or by what people call it (`pro`,
 * `flash`, `flash-lite`), which model-configs.ts resolves. Data only.
 */

import type { GenerateContentConfig } from '../protocol/content.ts';
import {
  GEMINI_2_5_FLASH,
  GEMINI_2_5_FLASH_LITE,
  GEMINI_2_5_PRO,
  GEMINI_3_FLASH_PREVIEW,
  GEMINI_3_PRO_PREVIEW,
} from './models.ts';

/** What a preset or an override says. What it leaves out comes from what it extends. */
export interface ModelConfigValues {
  model?: string;
  generateContentConfig?: GenerateContentConfig;
}

export interface ModelConfigAlias {
  /** The alias this one refines. */
  extends?: string | undefined;
  modelConfig: ModelConfigValues;
}

export type ModelConfigAliases = Readonly<Record<string, ModelConfigAlias>>;

/** The root of an undescribed chat model, by the beginning of its name; the first match applies. */
export const CHAT_ROOTS: readonly { prefix: string; root: string }[] = [
  { prefix: 'gemini-3', root: 'chat-base-3' },
  { prefix: 'gemini-2.5', root: 'chat-base-2.5' },
  { prefix: '', root: 'chat-base' },
];

export const BUILTIN_ALIASES: ModelConfigAliases = {
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

  'chat-compression-3-pro': preset(undefined, { model: GEMINI_3_PRO_PREVIEW }),
  'chat-compression-3-flash': preset(undefined, { model: GEMINI_3_FLASH_PREVIEW }),
  'chat-compression-2.5-pro': preset(undefined, { model: GEMINI_2_5_PRO }),
  'chat-compression-2.5-flash': preset(undefined, { model: GEMINI_2_5_FLASH }),
  'chat-compression-2.5-flash-lite': preset(undefined, { model: GEMINI_2_5_FLASH_LITE }),
  'chat-compression-default': preset(undefined, { model: 'pro' }),
};

function preset(parent: string | undefined, modelConfig: ModelConfigValues): ModelConfigAlias {
  return { extends: parent, modelConfig };
}

function utility(model: string, generateContentConfig: GenerateContentConfig = {}): ModelConfigAlias {
  return preset('base', { model, generateContentConfig });
}
