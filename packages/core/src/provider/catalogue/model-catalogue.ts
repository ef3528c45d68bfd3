/**
 * ModelCatalogue: the facts about a provider's models, as data the provider supplies. A second provider is a second
 * table; routing, compression, tools and prices read the table and hardcode no model name. Types only.
 */

import type { GenerateContentConfig } from '../../protocol/content.ts';
import type { ReasoningQuirk } from '../chat-completions/quirks.ts';

export interface ModelFacts {
  /** Tokens a request may hold. */
  contextWindow: number;
  /** No source names the window: the number is a guess. */
  isWindowAssumed?: boolean;
  /** Whether a function response may hold pictures and documents; otherwise they are sent beside it. */
  mediaInResponses: boolean;
  /** Whether the model forgets steps unless it keeps a todo list. */
  helpedByTodos: boolean;
  /** The preset that chat requests start from. */
  chatPreset: string;
  /** The preset that summarises the history. Absent: the model summarises its own history. */
  compressionPreset?: string;
  /** The form in which the router's classifier grades the difficulty of a request. */
  gradedBy: 'choice' | 'number';
  /** The stronger and the faster model of the family. Absent: the models `pro` and `flash` resolve to. */
  variants?: { readonly pro: string; readonly flash: string };
  /**
   * The model of the same provider that serves every request beside the conversation (compression, summaries, checks).
   * Absent: the presets name the models.
   */
  utilityModel?: string;
  /**
   * Whether small questions beside the conversation are worth their price. A local server has few slots, and each
   * question takes the conversation's cache from it. Absent: yes.
   */
  asksAside?: boolean;
  /** Tokens an answer may have. Absent: unknown. */
  maxOutput?: number;
  /** Whether the model calls tools. Absent: assumed. */
  tools?: boolean;
  /** Whether the model sees images. Absent: assumed for Gemini, not for others. */
  images?: boolean;
  /** Whether the model reads PDF documents. */
  documents?: boolean;
  /** How the model is asked to think; absent: not at all. */
  thinking?: ThinkingKnob;
  /** The levels of effort the model takes, from the lowest. Absent: unknown. */
  efforts?: readonly EffortLevel[];
  /** How a Chat Completions server carries the reasoning of this model, where it differs from the provider's other models. */
  reasoning?: ReasoningQuirk;
  /** The family that decides which prompt paragraph and which edit tool fit. */
  family?: ModelFamily;
  /** Where the facts come from, for a list of models. Absent: the catalogue. */
  knownFrom?: 'settings' | 'server' | 'catalogue' | 'family' | 'nothing';
}

/**
 * `effort` names a level, `budget` a number of tokens, `adaptive` lets the model decide up to a level, `always` cannot be
 * turned off, `switch` is on or off.
 */
export type ThinkingKnob = 'effort' | 'budget' | 'adaptive' | 'always' | 'switch';

export type EffortLevel = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ModelFamily = 'gemini' | 'claude' | 'gpt' | 'deepseek' | 'qwen' | 'kimi' | 'glm' | 'mistral' | 'local';

/** The models a user-facing name resolves to, with and without access to preview models. */
export interface ModelAlias {
  preview: string;
  stable: string;
  /** Whether the router chooses the model. */
  isAuto?: boolean;
}

/** The values of a preset or an override. Missing values are inherited from the preset it extends. */
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

/** Models that replace one another when one fails. */
export interface FallbackChain {
  /** Models that may lead the chain; the first leads unless the user chose another. */
  leads: readonly string[];
  /** The replacements, in order. */
  others: readonly string[];
  /** Whether, after the last model, the chain continues with the models before the failed one. */
  wraps?: boolean;
  /** Whether a model replaces another without asking the user; such a chain has no last resort. */
  silent?: boolean;
}

/** US dollars per million tokens. */
export interface Rates {
  input: number;
  /** Answer and thoughts alike. */
  output: number;
  /** Input served from the cache; equals `input` when absent. */
  cached?: number;
  /** Input written to the cache; equals `input` when absent. */
  cacheWrite?: number;
}

export interface ModelPrice extends Rates {
  /** The rates of a request whose prompt has more than `above` tokens. */
  long?: Rates & { above: number };
}

export type PriceTable = Readonly<Record<string, ModelPrice>>;

export interface ModelCatalogue {
  /** Undefined for a model unknown by name and by family. */
  find(model: string): ModelFacts | undefined;
  /** The facts assumed for a model that `find` does not know. */
  unknown: ModelFacts;
  aliases: Readonly<Record<string, ModelAlias>>;
  /** The stable replacement of each preview model. */
  stableModels: Readonly<Record<string, string>>;
  /** Chat presets, and one preset for each purpose beside the conversation. */
  presets: ModelConfigAliases;
  /** The first chain that holds a model applies. A model in no chain has no fallback. */
  chains: readonly FallbackChain[];
  /** By exact name: the price of a model does not follow from its family. */
  prices: PriceTable;
}
