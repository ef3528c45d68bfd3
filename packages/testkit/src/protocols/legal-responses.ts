/** Judges a Responses request by OpenAI's rules, with its status and words. */

import type { ModelRequest } from '../answer.ts';
import { isObject } from '../json-object.ts';
import { judgeResponsesForm } from './legal-answer-form.ts';
import {
  bad,
  isObjectSchema,
  isPlainModel,
  objectsOf,
  repeated,
  samplingVerdicts,
  unknownFields,
} from './legal-fields.ts';
import type { Memory } from './memory.ts';
import { field } from './protocol.ts';
import type { ProtocolOptions, Verdict } from './protocol.ts';

type Item = Record<string, unknown>;

const BODY = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options'],
  ...['store', 'include', 'reasoning', 'text', 'max_output_tokens', 'temperature', 'top_p', 'truncation', 'metadata'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier', 'service_tier'],
  ...['user', 'background', 'conversation', 'previous_response_id', 'prompt', 'max_tool_calls', 'top_logprobs'],
  ...['context_management', 'moderation'],
]);
const ITEMS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(['type', 'id', 'role', 'content', 'status', 'phase']),
  reasoning: new Set(['type', 'id', 'summary', 'content', 'encrypted_content', 'status']),
  function_call: new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status']),
  function_call_output: new Set(['type', 'id', 'call_id', 'output', 'status']),
};
const PREFIXES: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' };
const TOOL = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST_ID = 64;

export function judgeResponses(request: ModelRequest, _options: ProtocolOptions, memory: Memory): Verdict[] {
  const body: unknown = request.body;
  if (!isObject(body)) return [bad('The body of the request is not a JSON object.')];
  const input = body['input'];
  const items = objectsOf(input).map(({ value }) => value);
  if (input === '' || (typeof input !== 'string' && items.length === 0)) {
    return [bad("Missing required parameter: 'input'.", { param: 'input' })];
  }
  return [
    ...unknownFields(body, BODY, (name) =>
      bad(`Unknown parameter: '${name}'.`, { param: name, code: 'unknown_parameter' }),
    ),
    ...(request.model === undefined ? [bad("Missing required parameter: 'model'.")] : []),
    ...samplingVerdicts(body, request.model),
    ...knobVerdicts(body, request.model),
    ...toolVerdicts(body['tools']),
    ...judgeResponsesForm(body),
    ...items.flatMap((item, position) => itemVerdicts(item, `input[${position}]`)),
    ...answerVerdicts(items),
    ...repeated(items.map((item) => item['id']).filter((id) => id !== undefined)).map((id) =>
      bad(`Duplicate item found with id ${String(id)}. Remove duplicate items from your input and try again.`),
    ),
    ...items.flatMap((_item, position) => stateVerdicts(items, position, request, memory)),
  ];
}

function knobVerdicts({ reasoning, include }: Item, model: string | undefined): Verdict[] {
  if (!isPlainModel(model)) return [];
  const sealed = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  return [
    ...(field(reasoning, 'effort') === undefined
      ? []
      : [bad("Unsupported parameter: 'reasoning.effort' is not supported with this model.")]),
    ...(sealed ? [bad('Encrypted content is not supported with this model.', { param: 'include' })] : []),
  ];
}

function toolVerdicts(tools: unknown): Verdict[] {
  const declared = objectsOf(tools).filter(({ value }) => value['type'] === 'function');
  return [
    ...declared.flatMap(({ value, position }) => [
      ...unknownFields(value, TOOL, (name) => bad(`Unknown parameter: 'tools[${position}].${name}'.`)),
      ...nameVerdicts(value['name'], `tools[${position}]`),
      ...(isObjectSchema(value['parameters']) || value['parameters'] === null
        ? []
        : [bad(`Invalid schema for function '${String(value['name'])}': schema must be of 'type: "object"'.`)]),
      ...strictVerdicts(value),
    ]),
    ...repeated(declared.map(({ value }) => value['name'])).map((name) =>
      bad(`Tool names must be unique: ${String(name)}.`),
    ),
  ];
}

/** A tool without `strict: false` is strict, and a strict schema closes every object. */
function strictVerdicts({ name, strict, parameters }: Item): Verdict[] {
  if (strict === false || !isObject(parameters) || parameters['additionalProperties'] === false) return [];
  const words = `Invalid schema for function '${String(name)}': In context=(), 'additionalProperties' is required to be supplied and to be false.`;
  return [bad(words, { param: 'tools', code: 'invalid_function_parameters' })];
}

function nameVerdicts(name: unknown, place: string): Verdict[] {
  if (typeof name === 'string' && NAME.test(name)) return [];
  return [
    bad(
      `Invalid '${place}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    ),
  ];
}

function itemVerdicts(item: Item, place: string): Verdict[] {
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  const known = ITEMS[type];
  if (!known) return [bad(`Invalid value: '${type}'.`, { param: `${place}.type` })];
  return [
    ...unknownFields(item, known, (name) => bad(`Unknown parameter: '${place}.${name}'.`)),
    ...idVerdicts(item, type, place),
    ...(type === 'message' ? messageVerdicts(item, place) : []),
    ...(type === 'function_call' ? callVerdicts(item, place) : []),
  ];
}

function idVerdicts({ id, call_id: callId }: Item, type: string, place: string): Verdict[] {
  const prefix = PREFIXES[type];
  const tooLong = (value: unknown) => typeof value === 'string' && value.length > LONGEST_ID;
  return [
    ...(prefix !== undefined && typeof id === 'string' && !id.startsWith(prefix)
      ? [bad(`Invalid '${place}.id': '${id}'. Expected an ID that begins with '${prefix}'.`)]
      : []),
    ...(type === 'reasoning' && typeof id !== 'string' ? [bad(`Missing required parameter: '${place}.id'.`)] : []),
    ...(tooLong(id) ? [bad(`Invalid '${place}.id': string too long.`)] : []),
    ...(tooLong(callId) ? [bad(`Invalid '${place}.call_id': string too long.`)] : []),
  ];
}

function messageVerdicts({ role, content }: Item, place: string): Verdict[] {
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role))) {
    return [bad(`Invalid value: '${String(role)}'.`, { param: `${place}.role` })];
  }
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) return [bad(`Missing required parameter: '${place}.content'.`)];
  const supported = role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  const wrong = objectsOf(content).find(({ value }) => !supported.includes(String(value['type'])));
  return wrong
    ? [bad(`Invalid value: '${String(wrong.value['type'])}'. Supported values are: '${supported.join("', '")}'.`)]
    : [];
}

function callVerdicts({ name, arguments: args }: Item, place: string): Verdict[] {
  const words = `Invalid type for '${place}.arguments': expected a string, but got an object instead.`;
  return [...nameVerdicts(name, place), ...(typeof args === 'string' ? [] : [bad(words)])];
}

function answerVerdicts(items: readonly Item[]): Verdict[] {
  const calls = items.filter((item) => item['type'] === 'function_call').map((item) => item['call_id']);
  const outputs = items.filter((item) => item['type'] === 'function_call_output').map((item) => item['call_id']);
  return [
    ...calls
      .filter((id) => !outputs.includes(id))
      .map((id) => bad(`No tool output found for function call ${String(id)}.`)),
    ...outputs
      .filter((id) => !calls.includes(id))
      .map((id) => bad(`No tool call found for function call output with call_id ${String(id)}.`)),
    ...repeated(calls).map((id) => bad(`Duplicate function call with call_id ${String(id)}.`)),
    ...repeated(outputs).map((id) => bad(`Duplicate function call output with call_id ${String(id)}.`)),
  ];
}

function stateVerdicts(items: readonly Item[], position: number, request: ModelRequest, memory: Memory): Verdict[] {
  const item = items[position]!;
  if (item['type'] === 'reasoning') return reasoningVerdicts(item, items[position + 1], request, memory);
  const turn = item['id'] === undefined ? undefined : memory.find((sent) => sent['id'] === item['id']);
  const place = turn?.items.findIndex((sent) => sent['id'] === item['id']) ?? -1;
  const before = turn?.items.slice(0, place).findLast((sent) => sent['type'] === 'reasoning');
  if (!before || items.slice(0, position).some((earlier) => earlier['id'] === before['id'])) return [];
  const words = `Item '${String(item['id'])}' of type '${String(item['type'])}' was provided without its required 'reasoning' item: '${String(before['id'])}'.`;
  return [bad(words)];
}

function reasoningVerdicts(item: Item, next: Item | undefined, request: ModelRequest, memory: Memory): Verdict[] {
  const { id, encrypted_content: sealed } = item;
  if (typeof sealed !== 'string' || sealed === '') {
    if ((request.body as Item)['store'] !== false) return [];
    const words = `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    return [{ status: 404, message: words, type: 'invalid_request_error', param: 'input' }];
  }
  const turn = memory.find((sent) => sent['encrypted_content'] === sealed && sent['id'] === id);
  if (turn?.model !== request.model) {
    const words = `The encrypted content ${sealed.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    return [bad(words, { code: 'invalid_encrypted_content' })];
  }
  const isFollowed =
    next?.['type'] === 'function_call' || next?.['type'] === 'reasoning' || next?.['role'] === 'assistant';
  if (isFollowed) return [];
  return [bad(`Item '${String(id)}' of type 'reasoning' was provided without its required following item.`)];
}
