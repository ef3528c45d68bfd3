import { describe, expect, it } from 'vitest';
import { judge } from './legal.fixture.ts';
import type { RuleCase } from './legal.fixture.ts';
import { ollama } from './ollama.ts';

const USER = { role: 'user', content: 'hello' };
const ASKS = { role: 'assistant', content: '', tool_calls: [{ function: { name: 'read_file', arguments: {} } }] };
const RESULT = { role: 'tool', tool_name: 'read_file', content: 'text' };
const LEGAL = { model: 'm', messages: [USER, ASKS, RESULT], unknown: 1 };
const messages = (...list: object[]) => ({ ...LEGAL, messages: list });
const BLIND = { options: { models: [{ name: 'm', capabilities: ['completion'] }] } };

const RULES: readonly RuleCase[] = [
  { rule: 'a model', legal: LEGAL, illegal: { messages: [USER] }, words: 'model is required' },
  { rule: 'messages', legal: LEGAL, illegal: { model: 'm', messages: [] }, words: 'messages is required' },
  { rule: 'roles', legal: LEGAL, illegal: messages({ role: 'developer', content: 'x' }), words: 'invalid role' },
  {
    rule: 'content as a string',
    legal: LEGAL,
    illegal: messages({ role: 'user', content: [] }),
    words: 'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
  },
  {
    rule: 'arguments as an object',
    legal: LEGAL,
    illegal: messages(USER, { ...ASKS, tool_calls: [{ function: { name: 'read_file', arguments: '{}' } }] }, RESULT),
    words: 'ChatRequest.messages.tool_calls.function.arguments',
  },
  {
    rule: 'images in base64',
    legal: messages({ ...USER, images: ['aGk='] }),
    illegal: messages({ ...USER, images: ['data:image/png;base64,aGk='] }),
    words: 'illegal base64 data',
  },
  {
    rule: 'every call answered',
    legal: LEGAL,
    illegal: messages(USER, ASKS, USER),
    words: 'has no result right after',
  },
  { rule: 'no orphan results', legal: LEGAL, illegal: messages(USER, RESULT), words: 'has no call before it' },
  {
    rule: 'tools for a model that has them',
    legal: LEGAL,
    illegal: { ...LEGAL, tools: [{}] },
    words: 'm does not support tools',
    judged: BLIND,
  },
  {
    rule: 'thinking for a model that thinks',
    legal: { ...LEGAL, think: false },
    illegal: { ...LEGAL, think: 'high' },
    words: '"m" does not support thinking',
    judged: BLIND,
  },
];

describe('the rules of Ollama', () => {
  it.each(RULES)('$rule', ({ legal, illegal, words, judged = {} }) => {
    expect(judge(ollama, legal, judged)).toEqual([]);
    expect(judge(ollama, illegal, judged).join('\n')).toContain(words);
  });
});
