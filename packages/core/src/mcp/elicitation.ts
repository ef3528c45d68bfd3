/**
 * Reads the form or the page that an MCP server asks the user for, and checks what the user entered. Everything in a
 * form is data of the server: bounded, and without escapes. Pure.
 */

import type { FormField, FormValue, ServerQuestion } from '../protocol/server-questions.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanDescription, cleanLine } from './clean-text.ts';
import { INVALID_PARAMS, RpcError } from './rpc-session.ts';

const MAX_FIELDS = 30;
const MAX_OPTIONS = 100;
const MAX_MESSAGE = 2_000;
const MAX_LABEL = 200;
const MAX_URL = 4_000;
const SECRET = /pass(word|phrase|code)|secret|token|credential|api[-_ ]?key|private[-_ ]?key|\bpin\b|\botp\b|cvv/i;
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/,
};

/** Throws an RpcError for a question that cannot be shown. */
export function readElicitation(server: string, params: Record<string, unknown>): ServerQuestion {
  const { mode = 'form', message, url, requestedSchema } = params;
  const said = typeof message === 'string' ? cleanDescription(message, MAX_MESSAGE) : '';
  if (mode === 'url') return { type: 'url', server, message: said, url: readUrl(url) };
  if (mode !== 'form') throw new RpcError(INVALID_PARAMS, 'Unsupported mode of elicitation.');
  const properties = isRecord(requestedSchema) ? requestedSchema['properties'] : undefined;
  if (!isRecord(requestedSchema) || !isRecord(properties)) {
    throw new RpcError(INVALID_PARAMS, 'requestedSchema must be an object schema with properties.');
  }
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) throw new RpcError(INVALID_PARAMS, `A form has at most ${MAX_FIELDS} fields.`);
  const required: unknown[] = Array.isArray(requestedSchema['required']) ? requestedSchema['required'] : [];
  const fields = entries.map(([name, schema]) => readField(name, isRecord(schema) ? schema : {}, required));
  return { type: 'form', server, message: said, fields };
}

function readUrl(value: unknown): string {
  const url = typeof value === 'string' && value.length <= MAX_URL ? URL.parse(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new RpcError(INVALID_PARAMS, 'url must be an http or https address.');
  }
  // As parsed: another writing of the same address could hide where it leads.
  return url.href;
}

function readField(name: string, schema: Record<string, unknown>, required: readonly unknown[]): FormField {
  const title = textOf(schema['title']) || cleanLine(name, MAX_LABEL);
  const description = textOf(schema['description']);
  const options = readOptions(schema['type'] === 'array' ? schema['items'] : schema);
  const kind = kindOf(schema['type'], options.length > 0);
  if (kind === undefined) throw new RpcError(INVALID_PARAMS, `The field ${title} has an unsupported type.`);
  return {
    ...{ name, title, description, kind },
    isRequired: required.includes(name),
    isSecret: kind === 'text' && [name, title, description].some((text) => SECRET.test(text)),
    preset: readPreset(schema['default'], kind),
    ...(options.length > 0 && { options }),
    ...(typeof schema['format'] === 'string' && { format: cleanLine(schema['format'], 50) }),
    ...numbersOf(schema),
  };
}

function kindOf(type: unknown, hasOptions: boolean): FormField['kind'] | undefined {
  if (type === 'array') return hasOptions ? 'choices' : undefined;
  if (hasOptions) return 'choice';
  if (type === 'string' || type === undefined) return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : undefined;
}

/** `enum` with or without names, or `oneOf` and `anyOf` of constants. */
function readOptions(schema: unknown): { value: string; label: string }[] {
  if (!isRecord(schema)) return [];
  const names: unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  const plain: unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const titled = [schema['oneOf'], schema['anyOf']].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const found = [
    ...plain.map((value, index) => [value, names[index]]),
    ...titled.flatMap((each) => (isRecord(each) ? [[each['const'], each['title']]] : [])),
  ];
  return found.slice(0, MAX_OPTIONS).flatMap(([value, label]) => {
    if (typeof value !== 'string') return [];
    return [{ value, label: textOf(label) || cleanLine(value, MAX_LABEL) || '(empty)' }];
  });
}

function readPreset(value: unknown, kind: FormField['kind']): FormField['preset'] {
  if (kind === 'choices') return Array.isArray(value) && value.every(isText) ? value : undefined;
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (kind === 'number' || kind === 'integer') return typeof value === 'number' ? value : undefined;
  return typeof value === 'string' ? cleanLine(value, MAX_LABEL) : undefined;
}

function numbersOf(schema: Record<string, unknown>): Partial<FormField> {
  const names = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  return Object.fromEntries(names.flatMap((name) => (Number.isFinite(schema[name]) ? [[name, schema[name]]] : [])));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? cleanLine(value, MAX_LABEL) : '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The value of a text typed for a field; throws an Error with a sentence. Empty text is not a value. */
export function readFormText(field: FormField, text: string): FormValue | undefined {
  const { kind } = field;
  if (text === '' && kind !== 'choices') {
    if (field.isRequired) throw new Error('An answer is required.');
    return undefined;
  }
  const value = kind === 'number' || kind === 'integer' ? Number(text) : text;
  const problem = problemOf(field, value);
  if (problem !== undefined) throw new Error(problem);
  return value;
}

/** Why a value does not fit its field, as a sentence. */
export function problemOf(field: FormField, value: FormValue): string | undefined {
  const { kind, minimum = -Infinity, maximum = Infinity, options = [] } = field;
  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Answer yes or no.';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'Enter a number.';
      if (kind === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
      return value < minimum || value > maximum ? `Enter a number ${rangeOf(minimum, maximum)}.` : undefined;
    case 'choice':
      return options.some((option) => option.value === value) ? undefined : 'Choose one of the answers.';
    case 'choices':
      return problemOfChoices(field, value);
    case 'text':
      return typeof value === 'string' ? problemOfText(field, value) : 'Enter a text.';
  }
}

function problemOfChoices({ options = [], minItems = 0, maxItems = Infinity }: FormField, value: FormValue) {
  const isKnown = Array.isArray(value) && value.every((each) => options.some((option) => option.value === each));
  if (!isKnown) return 'Choose among the answers.';
  const count = (value as readonly string[]).length;
  return count < minItems || count > maxItems
    ? `Choose a number of answers ${rangeOf(minItems, maxItems)}.`
    : undefined;
}

function problemOfText({ minLength = 0, maxLength = Infinity, format = '' }: FormField, value: string) {
  const { length } = [...value];
  if (length < minLength || length > maxLength) return `Enter a text of a length ${rangeOf(minLength, maxLength)}.`;
  if (format === 'uri') return URL.canParse(value) ? undefined : 'Enter an address such as https://example.com.';
  const pattern = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return pattern === undefined || pattern.test(value) ? undefined : `Enter a text of the form ${format}.`;
}

function rangeOf(least: number, most: number): string {
  if (most === Infinity) return `of at least ${least}`;
  return least === -Infinity || least === 0 ? `of at most ${most}` : `from ${least} to ${most}`;
}
