/** Judges the form that a request wants for its answer, by the rules and with the words of each vendor. */

import { isObject } from '../json-object.ts';
import { bad, objectsOf } from './legal-fields.ts';
import type { ChatVendor, Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** What OpenAI rejects in a schema that it is asked to enforce. */
const NOT_STRICT = [
  ...['allOf', 'not', 'if', 'then', 'else', 'oneOf', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
];
/** What Anthropic rejects in every schema of an answer. */
const NOT_ANTHROPIC = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['maxItems', 'uniqueItems', 'oneOf', 'not', 'if', 'then', 'else', 'patternProperties', 'minProperties'],
];

/** `response_format` of Chat Completions. */
export function judgeChatForm({ response_format: form, tools }: Fields, vendor: ChatVendor): Verdict[] {
  if (!isObject(form)) return [];
  const param = 'response_format';
  if (vendor === 'deepseek' && form['type'] === 'json_schema') {
    return [bad('This response_format type is unavailable now', { param })];
  }
  if (vendor === 'groq' && form['type'] !== 'text' && objectsOf(tools).length > 0) {
    return [bad('json mode cannot be combined with tool/function calling', { param })];
  }
  if (form['type'] !== 'json_schema') return [];
  const { json_schema: given } = form;
  return isObject(given)
    ? openAiVerdicts(given, param, vendor)
    : [bad("Missing required parameter: 'response_format.json_schema'.", { param })];
}

/** `text.format` of Responses. */
export function judgeResponsesForm({ text }: Fields): Verdict[] {
  const form = isObject(text) ? text['format'] : undefined;
  return isObject(form) && form['type'] === 'json_schema' ? openAiVerdicts(form, 'text.format', 'openai') : [];
}

function openAiVerdicts({ name, schema, strict }: Fields, param: string, vendor: ChatVendor): Verdict[] {
  const invalid = (words: string) => bad(`Invalid schema for response_format '${String(name)}': ${words}`, { param });
  if (typeof name !== 'string' || !NAME.test(name)) return [bad(`Invalid '${param}.name'.`, { param })];
  if (vendor !== 'openai' && vendor !== 'azure') return [];
  if (!isObject(schema) || schema['type'] !== 'object') {
    return [invalid(`schema must be a JSON Schema of 'type: "object"'.`)];
  }
  return strict === true ? objectsIn(schema).flatMap((one) => strictProblems(one).map(invalid)) : [];
}

function strictProblems(schema: Fields): string[] {
  const unsupported = NOT_STRICT.filter((keyword) => schema[keyword] !== undefined);
  const { properties, required, additionalProperties } = schema;
  const names = Object.keys(isObject(properties) ? properties : {});
  const missing = names.filter((each) => !Array.isArray(required) || !required.includes(each));
  return [
    ...unsupported.map((keyword) => `'${keyword}' is not permitted.`),
    ...(schema['type'] === 'object' && additionalProperties !== false
      ? ["'additionalProperties' is required to be supplied and to be false."]
      : []),
    ...missing.map((each) => `'required' is required to include every key in properties. Missing '${each}'.`),
  ];
}

/** `output_config.format` of Messages. */
export function judgeAnthropicForm({ output_config: config }: Fields): Verdict[] {
  const form = isObject(config) ? config['format'] : undefined;
  if (!isObject(form)) return [];
  const wrong = (words: string) => bad(`output_config.format.schema: ${words}`);
  if (!isObject(form['schema'])) return [bad('output_config.format.schema: Field required')];
  return objectsIn(form['schema']).flatMap((schema) => [
    ...(schema['type'] === 'object' && schema['additionalProperties'] !== false
      ? [wrong("For 'object' type, 'additionalProperties' must be explicitly set to false")]
      : []),
    ...NOT_ANTHROPIC.filter((keyword) => schema[keyword] !== undefined).map((keyword) =>
      wrong(`property '${keyword}' is not supported`),
    ),
  ]);
}

/** Ollama accepts a form beside tools, and its grammar then keeps the model from calling any. */
export function judgeOllamaForm({ format, tools }: Fields): Verdict[] {
  if (format === undefined) return [];
  if (format !== 'json' && !isObject(format)) {
    return [bad(`invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`)];
  }
  return objectsOf(tools).length > 0 ? [bad('with a format the model cannot call the tools of the request')] : [];
}

/** A sentence for a form beside functions, which models before Gemini 3 reject. */
export function findGeminiFormViolations(body: unknown, model = ''): string[] {
  if (!isObject(body) || !isObject(body['generationConfig']) || /gemini-(?:[3-9]|\d\d)/.test(model)) return [];
  const wantsJson = body['generationConfig']['responseMimeType'] === 'application/json';
  const hasFunctions = objectsOf(body['tools']).some(({ value }) => value['functionDeclarations'] !== undefined);
  if (!wantsJson || !hasFunctions) return [];
  return ["Function calling with a response mime type: 'application/json' is unsupported"];
}

/** Every schema inside a schema, and itself. Names of properties are not keywords. */
function objectsIn(schema: unknown): Fields[] {
  if (!isObject(schema)) return [];
  const named = ['properties', '$defs', 'definitions'].flatMap((key) =>
    isObject(schema[key]) ? Object.values(schema[key]) : [],
  );
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  return [schema, ...[...named, ...listed, schema['items']].flatMap(objectsIn)];
}
