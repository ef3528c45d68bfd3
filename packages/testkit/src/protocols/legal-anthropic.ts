/** Judges a Messages request by Anthropic's rules, with its status and words: the body, its tools and its thinking mode. */

import type { ModelRequest } from '../answer.ts';
import { isObject } from '../json-object.ts';
import { judgeAnthropicForm } from './legal-answer-form.ts';
import { judgeAnthropicMessages } from './legal-anthropic-messages.ts';
import { bad, isObjectSchema, objectsOf, repeated, unknownFields } from './legal-fields.ts';
import type { Memory } from './memory.ts';
import type { ProtocolOptions, Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

const BODY = new Set([
  ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'thinking', 'output_config', 'stream'],
  ...['stop_sequences', 'metadata', 'cache_control', 'service_tier', 'speed', 'diagnostics', 'temperature', 'top_p'],
  ...['top_k', 'container', 'context_management', 'mcp_servers', 'transformations'],
]);
const TOOL = new Set([
  ...['name', 'description', 'input_schema', 'strict', 'eager_input_streaming', 'cache_control', 'type'],
]);
const SAMPLING = ['temperature', 'top_p', 'top_k'];
const OLD_VERSION = '2023-06-01';
const NEW_VERSION = '2026-10-21';
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MOST_BREAKPOINTS = 4;
const SMALLEST_BUDGET = 1024;

const ADAPTIVE_ONLY = /(opus-4-[78]|sonnet-5|opus-5|fable-5|mythos-5)/;
const BUDGET_ONLY = /(haiku-4-5|sonnet-4-5|opus-4-5|opus-4-1|-4-2025|claude-3)/;
const ALWAYS_THINKING = /(fable-5|mythos-5)/;

export function judgeAnthropic(request: ModelRequest, { vendor }: ProtocolOptions, memory: Memory): Verdict[] {
  const body: unknown = request.body;
  if (!isObject(body)) return [bad('The body of the request is not a JSON object.')];
  // llama.cpp ignores what it does not know and needs no limit.
  if (vendor === 'llamacpp') return judgeAnthropicMessages(body, request.model ?? '', memory);
  return [
    ...versionVerdicts(request, body),
    ...limitVerdicts(body, request.model ?? ''),
    ...thinkingVerdicts(body, request.model ?? ''),
    ...systemVerdicts(body['system']),
    ...toolVerdicts(body['tools']),
    ...judgeAnthropicForm(body),
    ...breakpointVerdicts(body),
    ...judgeAnthropicMessages(body, request.model ?? '', memory),
  ];
}

function versionVerdicts(request: ModelRequest, body: Fields): Verdict[] {
  const isVertex = request.path.includes('/publishers/anthropic/');
  const known = isVertex ? new Set([...BODY, 'anthropic_version'].filter((name) => name !== 'model')) : BODY;
  const required = isVertex ? ['max_tokens', 'messages', 'anthropic_version'] : ['model', 'max_tokens', 'messages'];
  const version = isVertex ? OLD_VERSION : request.headers['anthropic-version'];
  return [
    ...unknownFields(body, known, extra),
    ...required.filter((name) => body[name] === undefined).map((name) => bad(`${name}: Field required`)),
    ...(version === undefined ? [bad('anthropic-version: header is required')] : []),
    ...(version !== undefined && version !== OLD_VERSION && version !== NEW_VERSION
      ? [bad(`anthropic-version: "${version}" is not a valid version`)]
      : []),
    ...(version === NEW_VERSION ? SAMPLING.filter((name) => body[name] !== undefined).map(extra) : []),
  ];
}

function extra(name: string): Verdict {
  return bad(`${name}: Extra inputs are not permitted`);
}

function limitVerdicts(body: Fields, model: string): Verdict[] {
  const asked = Number(body['max_tokens']);
  const most = /opus-4-1/.test(model) ? 32_000 : /4-5/.test(model) ? 64_000 : 128_000;
  if (body['max_tokens'] === undefined || asked <= most) return [];
  return [bad(`max_tokens: ${asked} > ${most}, which is the maximum allowed number of output tokens for ${model}`)];
}

function thinkingVerdicts(body: Fields, model: string): Verdict[] {
  const thinking = isObject(body['thinking']) ? body['thinking'] : undefined;
  const [budget, most] = [Number(thinking?.['budget_tokens']), Number(body['max_tokens'])];
  switch (thinking?.['type']) {
    case undefined:
      return [];
    case 'enabled':
      if (ADAPTIVE_ONLY.test(model)) {
        return [bad('"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" instead.')];
      }
      return [
        ...(budget >= SMALLEST_BUDGET
          ? []
          : [bad('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')]),
        ...(budget >= most ? [bad('`max_tokens` must be greater than `thinking.budget_tokens`.')] : []),
        ...temperatureVerdicts(body),
      ];
    case 'adaptive':
      if (BUDGET_ONLY.test(model)) return [bad('adaptive thinking is not supported on this model')];
      return temperatureVerdicts(body);
    case 'disabled':
      return ALWAYS_THINKING.test(model) ? [bad('"thinking.type.disabled" is not supported for this model.')] : [];
    case 'between_tools':
      return [];
    default:
      return [
        bad(
          `thinking: Input tag '${String(thinking?.['type'])}' found using 'type' does not match any of the expected tags`,
        ),
      ];
  }
}

function temperatureVerdicts({ temperature }: Fields): Verdict[] {
  const isDefault = temperature === undefined || temperature === 1;
  return isDefault ? [] : [bad('`temperature` may only be set to 1 when thinking is enabled.')];
}

function systemVerdicts(system: unknown): Verdict[] {
  const texts = typeof system === 'string' ? [system] : objectsOf(system).map(({ value }) => value['text']);
  return texts.some((text) => text === '') ? [bad('system: text content blocks must be non-empty')] : [];
}

function toolVerdicts(tools: unknown): Verdict[] {
  const declared = objectsOf(tools);
  return [
    ...declared.flatMap(({ value, position }) => oneToolVerdicts(value, `tools.${position}.custom`)),
    ...(repeated(declared.map(({ value }) => value['name'])).length > 0
      ? [bad('tools: Tool names must be unique.')]
      : []),
  ];
}

function oneToolVerdicts(tool: Fields, place: string): Verdict[] {
  const { name, input_schema: schema } = tool;
  const isUnion = isObject(schema) && ['oneOf', 'allOf', 'anyOf'].some((key) => key in schema);
  return [
    ...unknownFields(tool, TOOL, (key) => extra(`${place}.${key}`)),
    ...(typeof name === 'string' && NAME.test(name)
      ? []
      : [bad(`${place}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)]),
    ...(isUnion
      ? [bad(`${place}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`)]
      : isObjectSchema(schema)
        ? []
        : [bad(`${place}.input_schema.type: Field required`)]),
  ];
}

function breakpointVerdicts(body: Fields): Verdict[] {
  const blocks = [
    ...(body['cache_control'] === undefined ? [] : [body]),
    ...objectsOf(body['system']).map(({ value }) => value),
    ...objectsOf(body['tools']).map(({ value }) => value),
    ...objectsOf(body['messages']).flatMap(({ value }) => objectsOf(value['content']).map((block) => block.value)),
  ];
  const count = blocks.filter((block) => block['cache_control'] !== undefined).length;
  if (count <= MOST_BREAKPOINTS) return [];
  return [bad(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`)];
}
