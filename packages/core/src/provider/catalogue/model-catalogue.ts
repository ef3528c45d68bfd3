/**
 * ModelCatalogue: what is known of a provider's models, as data the provider supplies. A second provider is a second
 * table; routing, compression, tools and prices read it and know no model by name. Types only.
 */

import type { GenerateContentConfig } from '../../protocol/content.ts';

export interface ModelFacts {
  /** Tokens a request may hold. */
  contextWindow: number;
  /** Whether a function response may hold pictures and documents; else they stand beside it. */
  mediaInResponses: boolean;
  /** Whether the model forgets steps that it has not written down. */
  helpedByTodos: boolean;
  /** The preset that chat requests start from. */
  chatPreset: string;
  /** The preset that summarises the history. Absent: the model summarises its own. */
  compressionPreset?: string;
  /** How the router has the difficulty of a request graded. */
  gradedBy: 'choice' | 'number';
  /** The stronger and the faster model of the family. Absent: those that `pro` and `flash` stand for. */
  variants?: { readonly pro: string; readonly flash: string };
}

/** What a user-facing name stands for, with and without access to preview models. */
export interface ModelAlias {
  preview: string;
  stable: string;
  /** Whether the router chooses the model. */
  isAuto?: boolean;
}

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

/** Models that take over from one another when one fails. */
export interface FallbackChain {
  /** Any of these may lead; the first does unless another was asked for. */
  leads: readonly string[];
  /** Who takes over, in order. */
  others: readonly string[];
  /** Whether models before the failed one take over after the last. */
  wraps?: boolean;
  /** Whether a model takes over without a question, and none is a last resort. */
  silent?: boolean;
}

/** US dollars per million tokens. */
export interface Rates {
  input: number;
  /** Answer and thoughts alike. */
  output: number;
  /** Input that was served from the cache; as `input` when left out. */
  cached?: number;
}

export interface ModelPrice extends Rates {
  /** The rates of a request whose prompt has more than `above` tokens. */
  long?: Rates & { above: number };
}

export type PriceTable = Readonly<Record<string, ModelPrice>>;

export interface ModelCatalogue {
  /** Undefined for a model that is not known, by name or by family. */
  find(model: string): ModelFacts | undefined;
  /** What is assumed of a model that `find` does not know. */
  unknown: ModelFacts;
  aliases: Readonly<Record<string, ModelAlias>>;
  /** The stable model that stands in for a preview one. */
  stableModels: Readonly<Record<string, string>>;
  /** Chat presets, and one for each purpose beside the conversation. */
  presets: ModelConfigAliases;
  /** Of chains that hold a model, the first counts. A model in none has no stand-in. */
  chains: readonly FallbackChain[];
  /** By exact name: a model of a known family may still cost anything. */
  prices: PriceTable;
}
