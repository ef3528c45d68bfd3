/**
 * The models that the program knows by name: reads the generated table of models-data.ts. Loaded when a model other than
 * the Gemini API's is chosen.
 */

import type { EffortLevel, ModelPrice, Rates, ThinkingKnob } from './model-catalogue.ts';
import { MODELS, MODELS_DATE } from './models-data.ts';
import type { KnownModel, KnownModels } from './provider-catalogue.ts';

const UNKNOWN = '-';
const EFFORT_LETTERS: Readonly<Record<string, EffortLevel>> = {
  n: 'none',
  i: 'minimal',
  l: 'low',
  m: 'medium',
  h: 'high',
  x: 'xhigh',
  a: 'max',
};

/** A table in the form of the bundled one, by provider, that the user has loaded since. */
export interface ModelTable {
  /** As a date: the bundled table of a newer program counts before it. */
  date: string;
  models: Readonly<Record<string, string>>;
}

export interface TableOptions {
  updated?: ModelTable | undefined;
  /** Another server than the vendor's has prices of its own. Default: the vendor's. */
  isForeign?: boolean | undefined;
}

/** The models of a provider; empty for a provider the table does not hold. */
export function bundledModels(provider: string, { updated, isForeign = false }: TableOptions = {}): KnownModels {
  const table = updated && updated.date > MODELS_DATE ? updated.models : MODELS;
  const lines = Object.hasOwn(table, provider) ? (table[provider] ?? '').trim().split(/\n| \| /) : [];
  const models = lines.map((line) => readLine(line));
  if (isForeign) for (const [, known] of models) delete known.price;
  return Object.fromEntries(models);
}

function readLine(line: string): [name: string, known: KnownModel] {
  const [name = '', window = '', output = '', price = '', abilities = '', thinking = ''] = line.split(' ');
  return [
    name,
    {
      contextWindow: Number(window),
      ...(output !== UNKNOWN && { maxOutput: Number(output) }),
      ...(price !== UNKNOWN && { price: readPrice(price) }),
      tools: abilities.includes('t'),
      images: abilities.includes('i'),
      documents: abilities.includes('d'),
      ...(thinking !== UNKNOWN && readThinking(thinking)),
    },
  ];
}

function readThinking(text: string): KnownModel {
  const [knob = '', letters = ''] = text.split(':');
  const efforts = [...letters].flatMap((letter) => EFFORT_LETTERS[letter] ?? []);
  return { thinking: knob as ThinkingKnob, ...(efforts.length > 0 && { efforts }) };
}

function readPrice(text: string): ModelPrice {
  const [base = '', long] = text.split('+');
  if (long === undefined) return readRates(base);
  const [above = '', rates = ''] = long.split(':');
  return { ...readRates(base), long: { ...readRates(rates), above: Number(above) } };
}

function readRates(text: string): Rates {
  const [input = '', output = '', cached = '', written = ''] = text.split('/');
  return {
    input: Number(input),
    output: Number(output),
    ...(cached !== '' && { cached: Number(cached) }),
    ...(written !== '' && { cacheWrite: Number(written) }),
  };
}
