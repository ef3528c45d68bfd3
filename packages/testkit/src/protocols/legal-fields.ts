/** Reading of untrusted JSON that the rules of all protocols share. Nothing here throws. */

import { isObject } from '../json-object.ts';
import type { Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

/** The objects of a list, with their positions; everything else is left out. */
export function objectsOf(list: unknown): { value: Fields; position: number }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown, position) => (isObject(value) ? [{ value, position }] : []));
}

/** The verdict for each field that is not known. */
export function unknownFields(value: object, known: ReadonlySet<string>, words: (name: string) => Verdict): Verdict[] {
  return Object.keys(value)
    .filter((name) => !known.has(name))
    .map(words);
}

/** The values that occur more than once, each once. */
export function repeated(values: readonly unknown[]): unknown[] {
  return [...new Set(values.filter((value, position) => values.indexOf(value) !== position))];
}

export function bad(message: string, more: Partial<Verdict> = {}): Verdict {
  return { status: 400, message, ...more };
}

/** True for a schema that a tool may declare: an object at the root. */
export function isObjectSchema(schema: unknown): schema is Fields {
  return isObject(schema) && schema['type'] === 'object';
}

/** OpenAI's reasoning models take no sampling and count reasoning in `max_completion_tokens`. */
export function isReasoningModel(model: string | undefined): boolean {
  return /^(o\d|gpt-5)/.test(model ?? '');
}

/** A model that takes no knob for reasoning, by its name; unknown names may take it. */
export function isPlainModel(model: string | undefined): boolean {
  return /^gpt-[34]/.test(model ?? '');
}

/** Sampling at its default is accepted everywhere; other values not by reasoning models. */
export function samplingVerdicts(body: Fields, model: string | undefined): Verdict[] {
  if (!isReasoningModel(model)) return [];
  return ['temperature', 'top_p'].flatMap((param) => {
    const value = body[param];
    if (value === undefined || value === null || value === 1) return [];
    const message = `Unsupported value: '${param}' does not support ${JSON.stringify(value)} with this model. Only the default (1) value is supported.`;
    return [bad(message, { param, code: 'unsupported_value' })];
  });
}
