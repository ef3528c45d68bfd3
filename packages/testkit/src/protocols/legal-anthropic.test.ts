import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic.ts';
import { judge } from './legal.fixture.ts';
import type { Judged, RuleCase } from './legal.fixture.ts';

const USER = { role: 'user', content: 'hello' };
const CALL = { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_a', content: 'text' };
const TEXT = { type: 'text', text: 'x' };
const MODEL = 'claude-opus-4-6';
const LEGAL = {
  model: MODEL,
  max_tokens: 4096,
  messages: [USER, { role: 'assistant', content: [CALL] }, { role: 'user', content: [RESULT] }],
};
const OLD: Judged = { path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' } };
const NEW: Judged = { path: '/v1/messages', headers: { 'anthropic-version': '2026-10-21' } };
const VERTEX: Judged = {
  path: '/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-6:streamRawPredict',
};
const { model: _model, ...UNNAMED } = LEGAL;

const body = (more: object) => ({ ...LEGAL, ...more });
const messages = (...list: object[]) => body({ messages: list });
const says = (...content: object[]) => ({ role: 'assistant', content });
const asks = (...content: object[]) => ({ role: 'user', content });
const tool = (more: object) => body({ tools: [{ name: 'a', input_schema: { type: 'object' }, ...more }] });
const marked = (count: number) =>
  messages(asks(...Array.from({ length: count }, () => ({ ...TEXT, cache_control: { type: 'ephemeral' } }))));

const RULES: readonly RuleCase[] = [
  { rule: 'max_tokens', legal: LEGAL, illegal: body({ max_tokens: undefined }), words: 'max_tokens: Field required' },
  {
    rule: "the model's limit",
    legal: body({ model: 'claude-haiku-4-5', max_tokens: 64_000 }),
    illegal: body({ model: 'claude-haiku-4-5', max_tokens: 64_001 }),
    words: 'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5',
  },
  { rule: 'a model', legal: LEGAL, illegal: UNNAMED, words: 'model: Field required' },
  {
    rule: 'known fields',
    legal: body({ stream: true }),
    illegal: body({ n: 1 }),
    words: 'n: Extra inputs are not permitted',
  },
  {
    rule: 'no sampling in the new version',
    legal: LEGAL,
    illegal: body({ temperature: 1 }),
    words: 'temperature: Extra inputs are not permitted',
    judged: NEW,
  },
  {
    rule: 'no model in the body on Vertex',
    legal: { ...UNNAMED, anthropic_version: 'vertex-2023-10-16' },
    illegal: { ...LEGAL, anthropic_version: 'vertex-2023-10-16' },
    words: 'model: Extra inputs are not permitted',
    judged: VERTEX,
  },
  {
    rule: 'the version in the body on Vertex',
    legal: { ...UNNAMED, anthropic_version: 'vertex-2023-10-16' },
    illegal: UNNAMED,
    words: 'anthropic_version: Field required',
    judged: VERTEX,
  },
  {
    rule: 'a budget of 1024',
    legal: body({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
    illegal: body({ thinking: { type: 'enabled', budget_tokens: 1023 } }),
    words: 'greater than or equal to 1024',
  },
  {
    rule: 'a budget below max_tokens',
    legal: body({ thinking: { type: 'enabled', budget_tokens: 4095 } }),
    illegal: body({ thinking: { type: 'enabled', budget_tokens: 4096 } }),
    words: '`max_tokens` must be greater than `thinking.budget_tokens`',
  },
  {
    rule: 'adaptive thinking for new models',
    legal: body({ model: 'claude-opus-5', thinking: { type: 'adaptive' } }),
    illegal: body({ model: 'claude-opus-5', thinking: { type: 'enabled', budget_tokens: 2000 } }),
    words: '"thinking.type.enabled" is not supported',
  },
  {
    rule: 'budgets for old models',
    legal: body({ model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } }),
    illegal: body({ model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } }),
    words: 'adaptive thinking is not supported',
  },
  {
    rule: 'models that always think',
    legal: body({ model: 'claude-fable-5', thinking: { type: 'adaptive' } }),
    illegal: body({ model: 'claude-fable-5', thinking: { type: 'disabled' } }),
    words: '"thinking.type.disabled" is not supported',
  },
  {
    rule: 'known thinking',
    legal: body({ thinking: { type: 'adaptive' } }),
    illegal: body({ thinking: { type: 'auto' } }),
    words: "thinking: Input tag 'auto'",
  },
  {
    rule: 'no temperature while thinking',
    legal: body({ temperature: 0.5 }),
    illegal: body({ temperature: 0.5, thinking: { type: 'adaptive' } }),
    words: '`temperature` may only be set to 1',
  },
  {
    rule: 'system text',
    legal: body({ system: [TEXT] }),
    illegal: body({ system: '' }),
    words: 'system: text content blocks must be non-empty',
  },
  {
    rule: 'tool names',
    legal: tool({ name: 'x'.repeat(128) }),
    illegal: tool({ name: 'a.b' }),
    words: 'tools.0.custom.name',
  },
  {
    rule: 'fields of tools',
    legal: tool({ strict: true }),
    illegal: tool({ parameters: {} }),
    words: 'tools.0.custom.parameters: Extra',
  },
  {
    rule: 'schemas without a union at the top',
    legal: tool({}),
    illegal: tool({ input_schema: { type: 'object', anyOf: [] } }),
    words: 'does not support oneOf, allOf, or anyOf at the top level',
  },
  {
    rule: 'object schemas',
    legal: tool({}),
    illegal: tool({ input_schema: {} }),
    words: 'input_schema.type: Field required',
  },
  {
    rule: 'tools declared once',
    legal: tool({}),
    illegal: body({ tools: ['a', 'a'].map((name) => ({ name, input_schema: { type: 'object' } })) }),
    words: 'tools: Tool names must be unique.',
  },
  { rule: 'four breakpoints', legal: marked(4), illegal: marked(5), words: 'A maximum of 4 blocks with cache_control' },
  { rule: 'at least one message', legal: LEGAL, illegal: messages(), words: 'at least one message is required' },
  {
    rule: 'the user first',
    legal: messages(USER),
    illegal: messages(says(TEXT), USER),
    words: 'first message must use the "user" role',
  },
  {
    rule: 'no prefill',
    legal: messages(USER, says(TEXT), USER),
    illegal: messages(USER, says(TEXT)),
    words: 'does not support assistant message prefill',
  },
  {
    rule: 'system turns for models that take them',
    legal: body({ model: 'claude-opus-5', messages: [USER, { role: 'system', content: 'x' }, USER] }),
    illegal: messages(USER, { role: 'system', content: 'x' }, USER),
    words: 'Unexpected role "system"',
  },
  {
    rule: 'content',
    legal: messages(USER),
    illegal: messages(asks()),
    words: 'messages.0: all messages must have non-empty content',
  },
  {
    rule: 'text',
    legal: messages(asks(TEXT)),
    illegal: messages(asks({ ...TEXT, text: '' })),
    words: 'text content blocks must be non-empty',
  },
  {
    rule: 'words',
    legal: messages(asks(TEXT)),
    illegal: messages(asks({ ...TEXT, text: ' \n' })),
    words: 'must contain non-whitespace text',
  },
  {
    rule: 'fields of messages',
    legal: messages(USER),
    illegal: messages({ ...USER, id: 'x' }),
    words: 'messages.0.id: Extra inputs are not permitted',
  },
  {
    rule: 'fields of blocks',
    legal: messages(asks({ ...TEXT, cache_control: { type: 'ephemeral' } })),
    illegal: messages(asks({ ...TEXT, thoughtSignature: 'x' })),
    words: 'messages.0.content.0.text.thoughtSignature: Extra inputs are not permitted',
  },
  {
    rule: 'blocks in their place',
    legal: LEGAL,
    illegal: messages(asks(CALL)),
    words: "messages.0.content.0: Input tag 'tool_use'",
  },
  {
    rule: 'content of results',
    legal: messages(USER, says(CALL), asks({ ...RESULT, content: [TEXT, { type: 'image', source: {} }] })),
    illegal: messages(USER, says(CALL), asks({ ...RESULT, content: [{ type: 'image_url' }] })),
    words: "tool_result.content: Input tag 'image_url'",
  },
  {
    rule: 'ids of calls',
    legal: LEGAL,
    illegal: messages(USER, says({ ...CALL, id: 'a.b' }), asks({ ...RESULT, tool_use_id: 'a.b' })),
    words: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: 'names of calls',
    legal: LEGAL,
    illegal: messages(USER, says({ ...CALL, name: 'a b' }), asks(RESULT)),
    words: 'tool_use.name: String should match pattern',
  },
  {
    rule: 'input as an object',
    legal: LEGAL,
    illegal: messages(USER, says({ ...CALL, input: '{}' }), asks(RESULT)),
    words: 'tool_use.input: Input should be a valid dictionary',
  },
  {
    rule: 'every call answered',
    legal: LEGAL,
    illegal: messages(USER, says(CALL), USER),
    words: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a.',
  },
  {
    rule: 'results first',
    legal: messages(USER, says(CALL), asks(RESULT, TEXT)),
    illegal: messages(USER, says(CALL), asks(TEXT, RESULT)),
    words: '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_a.',
  },
  {
    rule: 'no orphan results',
    legal: LEGAL,
    illegal: messages(USER, says(TEXT), asks(RESULT)),
    words: 'unexpected `tool_use_id` found in `tool_result` blocks: toolu_a.',
  },
  {
    rule: 'one result per call',
    legal: LEGAL,
    illegal: messages(USER, says(CALL), asks(RESULT, RESULT)),
    words: 'Found multiple `tool_result` blocks with id: toolu_a',
  },
  {
    rule: 'unique ids',
    legal: LEGAL,
    illegal: messages(USER, says(CALL), asks(RESULT), says(CALL), asks(RESULT)),
    words: '`tool_use` ids must be unique',
  },
  {
    rule: 'neighbours of one role are one turn',
    legal: messages(USER, USER, says(CALL), asks(RESULT), USER),
    illegal: messages(USER, says(CALL), USER, asks(RESULT)),
    words: 'immediately after: toolu_a',
  },
];

describe('the rules of Messages', () => {
  it.each(RULES)('$rule', ({ legal, illegal, words, judged = OLD }) => {
    expect(judge(anthropic, legal, judged)).toEqual([]);
    expect(judge(anthropic, illegal, judged).join('\n')).toContain(words);
  });

  it('llama.cpp needs neither a version nor a limit', () => {
    const judged = { path: '/v1/messages', options: { vendor: 'llamacpp' as const } };
    expect(judge(anthropic, body({ max_tokens: undefined, odd: 1 }), judged)).toEqual([]);
    expect(judge(anthropic, messages(USER, says(CALL), USER), judged)).toHaveLength(1);
  });

  it.each([
    [{}, '400 anthropic-version: header is required'],
    [{ 'anthropic-version': '2030-01-01' }, '400 anthropic-version: "2030-01-01" is not a valid version'],
  ])('a version it knows (%o)', (headers, words) => {
    expect(judge(anthropic, LEGAL, { ...OLD, headers })).toEqual([words]);
    expect(judge(anthropic, LEGAL, NEW)).toEqual([]);
  });
});
