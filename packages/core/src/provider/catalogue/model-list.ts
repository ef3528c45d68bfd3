/**
 * Reads the lists of models that servers send, in the shape of each: what a server says of a model's window, output,
 * abilities and price. It sends nothing; a field it does not know says nothing.
 */

import { isRecord } from '../../util/is-record.ts';
import type { ModelPrice, ThinkingKnob } from './model-catalogue.ts';
import type { KnownModel } from './provider-catalogue.ts';

export interface ListedModel {
  /** The server's own name. */
  id: string;
  known: KnownModel;
  /** What the model was trained for, where the server says both. */
  trainedWindow?: number;
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of `data`, of `models` or of a bare list; anything else is skipped. */
export function readModelList(body: unknown): ListedModel[] {
  const rows = Array.isArray(body) ? body : isRecord(body) ? (body['data'] ?? body['models']) : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => (isRecord(row) ? readRow(row) : []));
}

function readRow(row: Row): ListedModel[] {
  const name = text(row['id']) ?? text(row['name']) ?? text(row['model']);
  // Models that only embed, rank or speak cannot hold a conversation.
  if (name === undefined || isOther(row)) return [];
  const isLoaded = row['loaded_context_length'] !== undefined;
  const trained = firstCount(isLoaded ? row['max_context_length'] : recordOf(row['meta'])['n_ctx_train']);
  return [
    {
      id: name.replace(/^models\//, ''),
      known: readKnown(row),
      ...(trained !== undefined && { trainedWindow: trained }),
    },
  ];
}

function isOther(row: Row): boolean {
  const methods = row['supportedGenerationMethods'];
  if (Array.isArray(methods)) return !methods.includes('generateContent');
  return typeof row['type'] === 'string' && /embed|rerank|image$|audio|moderation/.test(row['type']);
}

function readKnown(row: Row): KnownModel {
  const capabilities = recordOf(row['capabilities']);
  const provider = recordOf(row['top_provider']);
  const parameters = row['supported_parameters'];
  const modalities = recordOf(row['architecture'])['input_modalities'];
  return definedOf({
    // What is allotted counts before what the model was trained for.
    contextWindow: firstCount(
      row['loaded_context_length'],
      row['context_length'],
      row['context_window'],
      row['max_model_len'],
      row['max_context_length'],
      row['max_input_tokens'],
      row['inputTokenLimit'],
      recordOf(row['meta'])['n_ctx'],
      recordOf(row['meta'])['n_ctx_train'],
    ),
    maxOutput: firstCount(
      provider['max_completion_tokens'],
      row['max_completion_tokens'],
      row['max_tokens'],
      row['outputTokenLimit'],
    ),
    tools:
      ability(row['capabilities'], 'tool_use', 'tools') ??
      flag(capabilities['function_calling']) ??
      ability(parameters, 'tools'),
    images:
      (row['type'] === 'vlm' ? true : undefined) ??
      ability(row['capabilities'], 'vision') ??
      flag(capabilities['vision']) ??
      supported(capabilities['image_input']) ??
      ability(modalities, 'image'),
    documents: supported(capabilities['pdf_input']) ?? ability(modalities, 'file'),
    thinking:
      readThinking(recordOf(capabilities['thinking'])) ?? (ability(parameters, 'reasoning') ? 'effort' : undefined),
    price: readPrice(recordOf(row['pricing'])),
  });
}

/** Anthropic's: which forms of `thinking` a request may hold. */
function readThinking({ supported: isSupported, types }: Row): ThinkingKnob | undefined {
  if (isSupported !== true) return undefined;
  const { adaptive, enabled, disabled } = recordOf(types);
  if (supported(disabled) === false) return 'always';
  if (supported(adaptive)) return 'adaptive';
  return supported(enabled) ? 'budget' : undefined;
}

/** OpenRouter's: dollars per token, as text. */
function readPrice(pricing: Row): ModelPrice | undefined {
  const names = ['prompt', 'completion', 'input_cache_read', 'input_cache_write'];
  const [input, output, cached, cacheWrite] = names.map((name) => perMillion(pricing[name]));
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cached !== undefined && { cached }), ...(cacheWrite !== undefined && { cacheWrite }) };
}

function perMillion(value: unknown): number | undefined {
  const dollars = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof dollars !== 'number' || !Number.isFinite(dollars) || dollars < 0) return undefined;
  return Math.round(dollars * 1e12) / 1e6;
}

/** llama.cpp's `/props`: what is allotted to a conversation. */
export function readProps(body: unknown): KnownModel {
  if (!isRecord(body)) return {};
  const contextWindow = firstCount(recordOf(body['default_generation_settings'])['n_ctx'], body['n_ctx']);
  return definedOf({ contextWindow, images: flag(recordOf(body['modalities'])['vision']) });
}

/** What Ollama says of a model: the window it was trained for, and the one its Modelfile sets. */
export type ShownModel = KnownModel & { trainedWindow?: number; allottedWindow?: number };

/** Ollama's `/api/show`. */
export function readShow(body: unknown): ShownModel {
  if (!isRecord(body)) return {};
  const { capabilities } = body;
  const info = recordOf(body['model_info']);
  const trained = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1];
  const allotted = Number(/^\s*num_ctx\s+(\d+)/m.exec(text(body['parameters']) ?? '')?.[1]);
  return {
    ...definedOf({
      tools: ability(capabilities, 'tools'),
      images: ability(capabilities, 'vision'),
      // Only this family of Ollama's takes a level.
      thinking: ability(capabilities, 'thinking')
        ? info['general.architecture'] === 'gptoss'
          ? 'effort'
          : 'switch'
        : undefined,
    }),
    ...(isCount(trained) && { trainedWindow: trained }),
    ...(isCount(allotted) && { allottedWindow: allotted }),
  };
}

function definedOf(known: { [Fact in keyof KnownModel]: KnownModel[Fact] | undefined }): KnownModel {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** Whether a list of abilities names one; undefined where there is no list. */
function ability(list: unknown, ...names: string[]): boolean | undefined {
  return Array.isArray(list) ? names.some((name) => list.includes(name)) : undefined;
}

/** Anthropic's form of an ability. */
function supported(value: unknown): boolean | undefined {
  return flag(value) ?? flag(recordOf(value)['supported']);
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function firstCount(...values: readonly unknown[]): number | undefined {
  return values.find(isCount);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function recordOf(value: unknown): Row {
  return isRecord(value) ? value : {};
}
