import { describe, expect, it } from 'vitest';
import { chat } from './chat.ts';
import { judge } from './legal.fixture.ts';
import type { RuleCase } from './legal.fixture.ts';
import type { ChatVendor } from './protocol.ts';

const USER = { role: 'user', content: 'hello' };
const CALL = { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{}' } };
const ASKS = { role: 'assistant', content: null, tool_calls: [CALL] };
const RESULT = { role: 'tool', tool_call_id: 'call_a', content: 'text' };
const LEGAL = { model: 'gpt-4.1', messages: [USER, ASKS, RESULT] };

const body = (more: object) => ({ ...LEGAL, ...more });
const messages = (...list: object[]) => body({ messages: list });
const asks = (call: object) => messages(USER, { ...ASKS, tool_calls: [{ ...CALL, ...call }] }, RESULT);
const tool = (more: object) => body({ tools: [{ type: 'function', function: { name: 'read_file', ...more } }] });
const by = (vendor: ChatVendor) => ({ options: { vendor } });
const bodyOf = (model: string, more: object) => ({ model, messages: [USER], ...more });

const RULES: readonly RuleCase[] = [
  { rule: 'at least one message', legal: LEGAL, illegal: messages(), words: "Invalid 'messages': empty array" },
  {
    rule: 'known fields only',
    legal: body({ store: false }),
    illegal: body({ topK: 64 }),
    words: 'Unrecognized request argument supplied: topK',
  },
  {
    rule: "Mistral's fields only",
    legal: bodyOf('mistral-large', { random_seed: 1 }),
    illegal: bodyOf('mistral-large', { store: false }),
    words: 'Extra inputs are not permitted',
    status: 422,
    judged: by('mistral'),
  },
  { rule: 'a model', legal: LEGAL, illegal: { messages: [USER] }, words: 'you must provide a model parameter' },
  {
    rule: 'no sampling for reasoning models',
    legal: bodyOf('gpt-4.1', { temperature: 0.2 }),
    illegal: bodyOf('gpt-5.2', { temperature: 0.2 }),
    words: "Unsupported value: 'temperature' does not support 0.2",
  },
  {
    rule: 'max_completion_tokens for reasoning models',
    legal: bodyOf('o3', { max_completion_tokens: 5 }),
    illegal: bodyOf('o3', { max_tokens: 5 }),
    words: "Use 'max_completion_tokens' instead",
  },
  {
    rule: 'no effort for models that do not reason',
    legal: bodyOf('gpt-5.2', { reasoning_effort: 'low' }),
    illegal: bodyOf('gpt-4.1', { reasoning_effort: 'low' }),
    words: 'Unrecognized request argument supplied: reasoning_effort',
  },
  {
    rule: 'stream_options with stream only',
    legal: body({ stream: true, stream_options: { include_usage: true } }),
    illegal: body({ stream_options: { include_usage: true } }),
    words: "only allowed when 'stream' is enabled",
  },
  { rule: 'no empty tools', legal: tool({}), illegal: body({ tools: [] }), words: "Invalid 'tools': empty array" },
  {
    rule: 'tool names',
    legal: tool({ name: 'a-b_C9' }),
    illegal: tool({ name: 'server.tool' }),
    words: "Invalid 'tools[0].function.name': string does not match pattern",
  },
  {
    rule: 'tool names of 64 characters',
    legal: tool({ name: 'x'.repeat(64) }),
    illegal: tool({ name: 'x'.repeat(65) }),
    words: 'string does not match pattern',
  },
  {
    rule: 'descriptions of 1024 characters',
    legal: tool({ description: 'x'.repeat(1024) }),
    illegal: tool({ description: 'x'.repeat(1025) }),
    words: 'string too long',
  },
  {
    rule: 'object schemas',
    legal: tool({ parameters: { type: 'object', properties: {} } }),
    illegal: tool({ parameters: { anyOf: [] } }),
    words: "Invalid schema for function 'read_file'",
  },
  {
    rule: 'at most 128 tools',
    legal: body({ tools: Array.from({ length: 128 }, (_, n) => ({ function: { name: `t${n}` } })) }),
    illegal: body({ tools: Array.from({ length: 129 }, (_, n) => ({ function: { name: `t${n}` } })) }),
    words: 'array too long',
  },
  {
    rule: 'tools declared once',
    legal: body({ tools: [{ function: { name: 'a' } }, { function: { name: 'b' } }] }),
    illegal: body({ tools: [{ function: { name: 'a' } }, { function: { name: 'a' } }] }),
    words: 'Tool names must be unique: a',
  },
  {
    rule: 'known roles',
    legal: messages({ role: 'developer', content: 'x' }, USER),
    illegal: messages({ role: 'model', content: 'x' }),
    words: "Invalid value: 'model'",
  },
  {
    rule: 'developer at OpenAI only',
    legal: messages({ role: 'system', content: 'x' }, USER),
    illegal: messages({ role: 'developer', content: 'x' }, USER),
    words: "Invalid value: 'developer'",
    judged: by('llamacpp'),
  },
  {
    rule: 'known fields of messages',
    legal: messages({ ...USER, name: 'x' }),
    illegal: messages({ ...USER, id: 'x' }),
    words: "('id' was unexpected) - 'messages.0'",
  },
  {
    rule: 'no reasoning to a server that sent none',
    legal: messages(USER, { role: 'assistant', content: 'x' }, USER),
    illegal: messages(USER, { role: 'assistant', content: 'x', reasoning_content: 'y' }, USER),
    words: "('reasoning_content' was unexpected)",
  },
  {
    rule: 'content',
    legal: messages(USER, { role: 'assistant', content: '' }, USER),
    illegal: messages(USER, { role: 'assistant', content: null }, USER),
    words: 'expected a string, got null',
  },
  {
    rule: 'no empty list of parts',
    legal: messages({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
    illegal: messages({ role: 'user', content: [] }),
    words: "Invalid 'messages[0].content': empty array",
  },
  {
    rule: 'no images in results',
    legal: messages(USER, ASKS, { ...RESULT, content: [{ type: 'text', text: 'x' }] }),
    illegal: messages(USER, ASKS, { ...RESULT, content: [{ type: 'image_url', image_url: { url: 'data:' } }] }),
    words: "only text is supported for the role 'tool'",
  },
  {
    rule: 'results as strings',
    legal: LEGAL,
    illegal: messages(USER, ASKS, { ...RESULT, content: [{ type: 'text', text: 'x' }] }),
    words: 'expected a string, got array',
    judged: by('ollama'),
  },
  {
    rule: 'no empty calls',
    legal: LEGAL,
    illegal: messages(USER, { ...ASKS, tool_calls: [] }),
    words: "Invalid 'messages[1].tool_calls': empty array",
  },
  {
    rule: 'names of calls',
    legal: asks({ function: { name: 'unknown_tool', arguments: '{}' } }),
    illegal: asks({ function: { name: 'with space', arguments: '{}' } }),
    words: 'string does not match pattern',
  },
  {
    rule: 'arguments as a string',
    legal: asks({ function: { name: 'a', arguments: 'not JSON' } }),
    illegal: asks({ function: { name: 'a', arguments: {} } }),
    words: 'expected a string, but got an object instead',
  },
  {
    rule: "arguments that llama.cpp's template parses",
    legal: asks({ function: { name: 'a', arguments: { path: 'a' } } }),
    illegal: asks({ function: { name: 'a', arguments: '' } }),
    words: 'Failed to parse tool call arguments',
    status: 500,
    judged: by('llamacpp'),
  },
  {
    rule: 'arguments that Ollama parses',
    legal: LEGAL,
    illegal: asks({ function: { name: 'a', arguments: '{"path"' } }),
    words: 'Failed to parse tool call arguments',
    judged: by('ollama'),
  },
  {
    rule: 'an id for every call',
    legal: LEGAL,
    illegal: asks({ id: '' }),
    words: "Missing required parameter: 'messages[1].tool_calls[0].id'",
  },
  {
    rule: "every call answered, in Mistral's words",
    legal: messages(USER),
    illegal: messages(USER, { ...ASKS, tool_calls: [{ ...CALL, id: 'abcDEF123' }] }),
    words: 'Not the same number of function calls and responses',
    judged: by('mistral'),
  },
  {
    rule: 'ids of 40 characters',
    legal: messages(
      USER,
      { ...ASKS, tool_calls: [{ ...CALL, id: 'x'.repeat(40) }] },
      { ...RESULT, tool_call_id: 'x'.repeat(40) },
    ),
    illegal: messages(
      USER,
      { ...ASKS, tool_calls: [{ ...CALL, id: 'x'.repeat(41) }] },
      { ...RESULT, tool_call_id: 'x'.repeat(41) },
    ),
    words: 'string too long',
  },
  {
    rule: "Mistral's ids",
    legal: messages(
      USER,
      { ...ASKS, tool_calls: [{ ...CALL, id: 'abcDEF123' }] },
      { ...RESULT, tool_call_id: 'abcDEF123' },
    ),
    illegal: LEGAL,
    words: 'Tool call id was call_a but must be a-z, A-Z, 0-9, with a length of 9.',
    judged: by('mistral'),
  },
  {
    rule: 'every call answered',
    legal: LEGAL,
    illegal: messages(USER, ASKS, USER),
    words: 'did not have response messages: call_a',
  },
  {
    rule: 'answered right after',
    legal: LEGAL,
    illegal: messages(USER, ASKS, USER, RESULT),
    words: 'must be followed by tool messages',
  },
  {
    rule: 'no orphan results',
    legal: LEGAL,
    illegal: messages(USER, RESULT),
    words: "messages with role 'tool' must be a response",
  },
  {
    rule: 'one result per call',
    legal: LEGAL,
    illegal: messages(USER, ASKS, RESULT, RESULT),
    words: "messages with role 'tool' must be a response",
  },
  {
    rule: 'unique ids',
    legal: LEGAL,
    illegal: messages(USER, ASKS, RESULT, ASKS, RESULT),
    words: "Duplicate value for 'tool_call_id' of 'call_a'",
  },
  {
    rule: 'no user after tool at Mistral',
    legal: messages(USER, { role: 'assistant', content: 'x' }, USER),
    illegal: messages(USER, ASKS, RESULT, USER),
    words: "Unexpected role 'user' after role 'tool'",
    judged: by('mistral'),
  },
  {
    rule: "DeepSeek's reasoning on every assistant message",
    legal: messages(
      USER,
      { ...ASKS, reasoning_content: 'x' },
      RESULT,
      { role: 'assistant', content: 'y', reasoning_content: '' },
      USER,
    ),
    illegal: messages(USER, { ...ASKS, reasoning_content: 'x' }, RESULT, { role: 'assistant', content: 'y' }, USER),
    words: 'The `reasoning_content` in the thinking mode must be passed back',
    judged: by('deepseek'),
  },
];

describe('the rules of Chat Completions', () => {
  it.each(RULES)('$rule', ({ legal, illegal, words, status = 400, judged = {} }) => {
    expect(judge(chat, legal, judged)).toEqual([]);
    const broken = judge(chat, illegal, judged);
    expect(broken.join('\n')).toContain(words);
    expect(broken.find((verdict) => verdict.includes(words))).toMatch(new RegExp(`^${status} `));
  });
});
