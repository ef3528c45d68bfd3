/** Judges a Chat Completions request by the rules of its vendor, with the vendor's status and words. */

import type { ModelRequest } from '../answer.ts';
import { isObject } from '../json-object.ts';
import { judgeChatForm } from './legal-answer-form.ts';
import { bodyFields, messageFields } from './legal-chat-fields.ts';
import { judgeChatReasoning } from './legal-chat-reasoning.ts';
import {
  bad,
  isObjectSchema,
  isPlainModel,
  isReasoningModel,
  objectsOf,
  repeated,
  samplingVerdicts,
  unknownFields,
} from './legal-fields.ts';
import type { Memory } from './memory.ts';
import type { ChatVendor, ProtocolOptions, Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;
interface Message {
  readonly value: Fields;
  readonly position: number;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST_CALL_ID = 40;
const MOST_TOOLS = 128;
const LONGEST_DESCRIPTION = 1024;

export function judgeChat(request: ModelRequest, { vendor = 'openai' }: ProtocolOptions, memory: Memory): Verdict[] {
  const body: unknown = request.body;
  if (!isObject(body)) return [bad('The body of the request is not a JSON object.')];
  const messages = objectsOf(body['messages']);
  if (messages.length === 0) {
    return [bad("Invalid 'messages': empty array. Expected an array with minimum length 1.", { param: 'messages' })];
  }
  return [
    ...bodyVerdicts(body, request.model, vendor),
    ...toolVerdicts(body['tools']),
    ...judgeChatForm(body, vendor),
    ...messages.flatMap((message) => messageVerdicts(message, vendor, memory)),
    ...answerVerdicts(messages, vendor),
    ...judgeChatReasoning(body, messages, vendor, memory),
  ];
}

function bodyVerdicts(body: Fields, model: string | undefined, vendor: ChatVendor): Verdict[] {
  const known = bodyFields(vendor);
  const words = (name: string) =>
    vendor === 'mistral'
      ? { status: 422 as const, message: 'Extra inputs are not permitted', param: name }
      : bad(`Unrecognized request argument supplied: ${name}`, { param: name });
  return [
    ...(known ? unknownFields(body, known, words) : []),
    ...(model === undefined ? [bad('you must provide a model parameter')] : []),
    ...samplingVerdicts(body, model),
    ...(isReasoningModel(model) && body['max_tokens'] !== undefined
      ? [
          bad(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            { param: 'max_tokens', code: 'unsupported_parameter' },
          ),
        ]
      : []),
    ...(isPlainModel(model) && body['reasoning_effort'] !== undefined
      ? [bad('Unrecognized request argument supplied: reasoning_effort', { param: 'reasoning_effort' })]
      : []),
    ...(body['stream_options'] !== undefined && body['stream'] !== true
      ? [bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.")]
      : []),
  ];
}

function toolVerdicts(tools: unknown): Verdict[] {
  if (tools === undefined) return [];
  const declared = objectsOf(tools).map(({ value }) => (isObject(value['function']) ? value['function'] : {}));
  if (declared.length === 0) return [bad("Invalid 'tools': empty array. Expected an array with minimum length 1.")];
  if (declared.length > MOST_TOOLS) {
    return [bad(`Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}.`)];
  }
  return [
    ...declared.flatMap((tool, position) => oneToolVerdicts(tool, `tools[${position}].function`)),
    ...repeated(declared.map((tool) => tool['name'])).map((name) => bad(`Tool names must be unique: ${String(name)}.`)),
  ];
}

function oneToolVerdicts({ name, description, parameters }: Fields, place: string): Verdict[] {
  return [
    ...nameVerdicts(name, place),
    ...(typeof description === 'string' && description.length > LONGEST_DESCRIPTION
      ? [bad(`Invalid '${place}.description': string too long. Expected a string with maximum length 1024.`)]
      : []),
    ...(parameters !== undefined && !isObjectSchema(parameters)
      ? [bad(`Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`)]
      : []),
  ];
}

function nameVerdicts(name: unknown, place: string): Verdict[] {
  if (typeof name === 'string' && NAME.test(name)) return [];
  const words = `Invalid '${place}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return [bad(words, { param: `${place}.name`, code: 'invalid_value' })];
}

function messageVerdicts({ value, position }: Message, vendor: ChatVendor, memory: Memory): Verdict[] {
  const place = `messages[${position}]`;
  const role = String(value['role']);
  const known = messageFields(role, vendor);
  if (!known)
    return [bad(`Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', and 'tool'.`)];
  // A compatible server under OpenAI's rules takes back the fields it sent.
  for (const name of ['reasoning', 'reasoning_content', 'reasoning_details']) {
    if (vendor === 'openai' && memory.find((item) => name in item)) known.add(name);
  }
  const words = (name: string) =>
    bad(`Additional properties are not allowed ('${name}' was unexpected) - 'messages.${position}'`);
  return [
    ...unknownFields(value, known, words),
    ...contentVerdicts(value, role, place, vendor),
    ...(role === 'assistant' ? callVerdicts(value['tool_calls'], place, vendor) : []),
  ];
}

function contentVerdicts(value: Fields, role: string, place: string, vendor: ChatVendor): Verdict[] {
  const { content } = value;
  const expected = (what: string) =>
    bad(`Invalid value for 'content': expected a string, got ${what}.`, { param: `${place}.content` });
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) {
    const mayBeNull = role === 'assistant' && (value['tool_calls'] !== undefined || value['refusal'] !== undefined);
    return mayBeNull ? [] : [expected('null')];
  }
  if (content.length === 0) return [bad(`Invalid '${place}.content': empty array.`)];
  // Ollama and DeepSeek read strings only; a tool message holds text everywhere.
  if (role === 'tool' && (vendor === 'ollama' || vendor === 'deepseek')) return [expected('array')];
  const types = objectsOf(content).map((part) => part.value['type']);
  const isWrong = role === 'user' ? () => false : (type: unknown) => type !== 'text' && type !== 'refusal';
  return types.some(isWrong) ? [bad(`Invalid '${place}.content': only text is supported for the role '${role}'.`)] : [];
}

function callVerdicts(calls: unknown, place: string, vendor: ChatVendor): Verdict[] {
  if (calls === undefined) return [];
  const listed = objectsOf(calls);
  if (listed.length === 0) return [bad(`Invalid '${place}.tool_calls': empty array.`)];
  return listed.flatMap(({ value, position }) => oneCallVerdicts(value, `${place}.tool_calls[${position}]`, vendor));
}

function oneCallVerdicts({ id, function: called }: Fields, place: string, vendor: ChatVendor): Verdict[] {
  const { name, arguments: args } = isObject(called) ? called : {};
  return [
    ...nameVerdicts(name, `${place}.function`),
    ...idVerdicts(id, place, vendor),
    ...argumentVerdicts(args, place, vendor),
  ];
}

function idVerdicts(id: unknown, place: string, vendor: ChatVendor): Verdict[] {
  if (typeof id !== 'string' || id === '') return [bad(`Missing required parameter: '${place}.id'.`)];
  if (vendor === 'mistral' && !/^[a-zA-Z0-9]{9}$/.test(id)) {
    const words = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    return [bad(words, { type: 'invalid_request_message_order', code: '3280' })];
  }
  if (id.length <= LONGEST_CALL_ID) return [];
  return [bad(`Invalid '${place}.id': string too long. Expected a string with maximum length ${LONGEST_CALL_ID}.`)];
}

function argumentVerdicts(args: unknown, place: string, vendor: ChatVendor): Verdict[] {
  if (typeof args !== 'string') {
    const words = `Invalid type for '${place}.function.arguments': expected a string, but got an object instead.`;
    return vendor === 'llamacpp' && isObject(args) ? [] : [bad(words)];
  }
  if ((vendor !== 'llamacpp' && vendor !== 'ollama') || isJson(args)) return [];
  const words = 'Failed to parse tool call arguments as JSON';
  return [vendor === 'llamacpp' ? { status: 500, message: words, type: 'server_error' } : bad(words)];
}

/** The rules between messages. Lenient servers ignore them; no adapter may rely on that. */
function answerVerdicts(messages: readonly Message[], vendor: ChatVendor): Verdict[] {
  const verdicts: Verdict[] = [];
  const ids: unknown[] = [];
  let open = new Set<unknown>();
  const close = () => {
    if (open.size > 0) verdicts.push(bad(unansweredWords([...open], vendor)));
    open = new Set();
  };
  messages.forEach(({ value, position }, order) => {
    if (value['role'] === 'tool') {
      if (!open.delete(value['tool_call_id'])) verdicts.push(bad(ORPHAN));
      return;
    }
    close();
    const calls = objectsOf(value['tool_calls']).map((call) => call.value['id']);
    open = new Set(calls);
    ids.push(...calls);
    if (vendor === 'mistral' && value['role'] === 'user' && messages[order - 1]?.value['role'] === 'tool') {
      verdicts.push(bad("Unexpected role 'user' after role 'tool'", { code: '3230', param: `messages[${position}]` }));
    }
  });
  close();
  return [...verdicts, ...repeated(ids).map((id) => bad(`Duplicate value for 'tool_call_id' of '${String(id)}'`))];
}

const ORPHAN =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";

function unansweredWords(ids: readonly unknown[], vendor: ChatVendor): string {
  if (vendor === 'mistral') return 'Not the same number of function calls and responses';
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
