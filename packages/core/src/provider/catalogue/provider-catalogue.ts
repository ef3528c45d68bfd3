/**
 * The catalogue of a provider other than the Gemini API: facts from the user's settings, from the server, from the
 * bundled table, from the family of a name, or assumed, in this order. Models are named without their provider.
 */

import type { ModelFacts, ModelPrice } from './model-catalogue.ts';
import { PLAIN_PRESET } from './plain-preset.ts';

/** What is known of one model; a missing fact is taken from the next source. */
export type KnownModel = {
  [Fact in Exclude<keyof ModelFacts, 'chatPreset' | 'gradedBy'>]?: ModelFacts[Fact] | undefined;
} & { price?: ModelPrice | undefined };

export type KnownModels = Readonly<Record<string, KnownModel>>;

export interface ProviderModels {
  /** The facts about a model; always defined, with `knownFrom` for the best source. */
  factsOf(model: string): ModelFacts;
  priceOf(model: string): ModelPrice | undefined;
  /** The models known by name, in the order of their sources. */
  names(): readonly string[];
  /** Adds what a server reported. */
  learn(model: string, known: KnownModel): void;
  /** Replaces what a rejection proved wrong, the user's settings included. */
  correct(model: string, known: KnownModel): void;
}

export interface ProviderModelsOptions {
  fromSettings?: KnownModels | undefined;
  bundled?: KnownModels | undefined;
  familyOf?: ((model: string) => KnownModel | undefined) | undefined;
  isLocal: boolean;
  /** The model for requests beside the conversation; absent: the model itself. */
  smallModel?: string | undefined;
}

const LOCAL_WINDOW = 32_768;
const HOSTED_WINDOW = 128_000;
const UNKNOWN_OUTPUT = 8_192;

export function createProviderModels(options: ProviderModelsOptions): ProviderModels {
  const { fromSettings = {}, bundled = {}, familyOf, isLocal, smallModel } = options;
  const learned = new Map<string, KnownModel>();
  const corrected = new Map<string, KnownModel>();
  /** What was joined of a model: a request asks for it several times. Forgotten when more is learned. */
  const joined = new Map<string, ModelFacts>();
  const assumed: ModelFacts = {
    contextWindow: isLocal ? LOCAL_WINDOW : HOSTED_WINDOW,
    isWindowAssumed: true,
    maxOutput: UNKNOWN_OUTPUT,
    images: false,
    mediaInResponses: false,
    helpedByTodos: false,
    chatPreset: PLAIN_PRESET,
    gradedBy: 'choice',
    ...(isLocal && smallModel === undefined && { asksAside: false }),
    knownFrom: 'nothing',
  };

  /** From the weakest to the strongest. */
  function sourcesOf(model: string): [ModelFacts['knownFrom'], KnownModel | undefined][] {
    return [
      ['family', familyOf?.(model)],
      ['catalogue', own(bundled, model)],
      ['server', learned.get(model)],
      ['settings', own(fromSettings, model)],
      ['server', corrected.get(model)],
    ];
  }

  function joinFacts(model: string): ModelFacts {
    const facts: ModelFacts = { ...assumed, utilityModel: smallModel ?? model };
    for (const [knownFrom, known] of sourcesOf(model)) {
      if (!known) continue;
      Object.assign(facts, definedOf(known), { knownFrom });
      if (known.contextWindow !== undefined) facts.isWindowAssumed = false;
    }
    return Object.freeze(facts);
  }

  return {
    factsOf(model) {
      const facts = joined.get(model) ?? joinFacts(model);
      joined.set(model, facts);
      return facts;
    },
    // No family has a price: a start that asks for each model of a provider need not look at their names.
    priceOf: (model) =>
      [own(fromSettings, model), learned.get(model), own(bundled, model)].find((known) => known?.price)?.price,
    names: () => [...new Set([...Object.keys(fromSettings), ...learned.keys(), ...Object.keys(bundled)])],
    correct(model, known) {
      corrected.set(model, { ...corrected.get(model), ...definedOf(known) });
      joined.delete(model);
    },
    learn(model, { price, ...known }) {
      const told = { ...definedOf(known), ...(price && { price }) };
      if (Object.keys(told).length > 0) learned.set(model, { ...learned.get(model), ...told });
      joined.delete(model);
    },
  };
}

function definedOf({ price: _price, ...known }: KnownModel): Partial<ModelFacts> {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** An own-property look-up: `constructor` is not found in every table. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
