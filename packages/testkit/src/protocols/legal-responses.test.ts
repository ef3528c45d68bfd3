import { describe, expect, it } from 'vitest';
import { judge } from './legal.fixture.ts';
import type { RuleCase } from './legal.fixture.ts';
import { Memory } from './memory.ts';
import { responses } from './responses.ts';

const USER = { role: 'user', content: [{ type: 'input_text', text: 'hello' }] };
const CALL = { type: 'function_call', call_id: 'call_a', name: 'read_file', arguments: '{}' };
const OUTPUT = { type: 'function_call_output', call_id: 'call_a', output: 'text' };
const LEGAL = { model: 'gpt-5.2', store: false, input: [USER, CALL, OUTPUT] };
const SCHEMA = { type: 'object', properties: {} };

const body = (more: object) => ({ ...LEGAL, ...more });
const input = (...items: object[]) => body({ input: items });
const tool = (more: object) =>
  body({ tools: [{ type: 'function', name: 'read_file', parameters: SCHEMA, strict: false, ...more }] });

const RULES: readonly RuleCase[] = [
  { rule: 'an input', legal: body({ input: 'hello' }), illegal: input(), words: "Missing required parameter: 'input'" },
  {
    rule: 'known fields only',
    legal: body({ include: [] }),
    illegal: body({ messages: [] }),
    words: "Unknown parameter: 'messages'.",
  },
  { rule: 'a model', legal: LEGAL, illegal: { input: 'hello' }, words: "Missing required parameter: 'model'" },
  {
    rule: 'no sampling for reasoning models',
    legal: { model: 'gpt-4.1', input: 'hello', temperature: 0.2 },
    illegal: body({ temperature: 0.2 }),
    words: "Unsupported value: 'temperature'",
  },
  {
    rule: 'no effort for models that do not reason',
    legal: body({ reasoning: { effort: 'low' } }),
    illegal: { model: 'gpt-4.1', input: 'hello', reasoning: { effort: 'low' } },
    words: "'reasoning.effort' is not supported with this model",
  },
  {
    rule: 'no encrypted reasoning of models that do not reason',
    legal: body({ include: ['reasoning.encrypted_content'] }),
    illegal: { model: 'gpt-4.1', input: 'hello', include: ['reasoning.encrypted_content'] },
    words: 'Encrypted content is not supported with this model.',
  },
  { rule: 'tool names', legal: tool({}), illegal: tool({ name: 'a.b' }), words: "Invalid 'tools[0].name'" },
  {
    rule: 'flat tools',
    legal: tool({}),
    illegal: tool({ function: {} }),
    words: "Unknown parameter: 'tools[0].function'",
  },
  {
    rule: 'object schemas',
    legal: tool({}),
    illegal: tool({ parameters: { type: 'string' } }),
    words: "Invalid schema for function 'read_file'",
  },
  {
    rule: 'strict unless it says otherwise',
    legal: tool({ strict: true, parameters: { ...SCHEMA, additionalProperties: false } }),
    illegal: tool({ strict: undefined }),
    words: "'additionalProperties' is required to be supplied and to be false",
  },
  {
    rule: 'tools declared once',
    legal: tool({}),
    illegal: body({ tools: ['a', 'a'].map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: false })) }),
    words: 'Tool names must be unique: a',
  },
  {
    rule: 'known items',
    legal: input({ type: 'message', ...USER }),
    illegal: input({ type: 'tool_use' }),
    words: "Invalid value: 'tool_use'",
  },
  {
    rule: 'known fields of items',
    legal: LEGAL,
    illegal: input(USER, { ...CALL, extra: 1 }, OUTPUT),
    words: "Unknown parameter: 'input[1].extra'",
  },
  {
    rule: 'ids of their kind',
    legal: input(USER, { ...CALL, id: 'fc_1' }, OUTPUT),
    illegal: input(USER, { ...CALL, id: 'call_a' }, OUTPUT),
    words: "Expected an ID that begins with 'fc'",
  },
  {
    rule: 'ids of 64 characters',
    legal: input(USER, { ...CALL, id: `fc_${'x'.repeat(61)}` }, OUTPUT),
    illegal: input(USER, { ...CALL, id: `fc_${'x'.repeat(62)}` }, OUTPUT),
    words: "Invalid 'input[1].id': string too long",
  },
  {
    rule: 'call ids of 64 characters',
    legal: LEGAL,
    illegal: input(USER, { ...CALL, call_id: 'x'.repeat(65) }, { ...OUTPUT, call_id: 'x'.repeat(65) }),
    words: "Invalid 'input[1].call_id': string too long",
  },
  {
    rule: 'roles',
    legal: input({ role: 'developer', content: 'x' }),
    illegal: input({ role: 'tool', content: 'x' }),
    words: "Invalid value: 'tool'",
  },
  {
    rule: "parts of the model's messages",
    legal: input(USER, { role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }, USER),
    illegal: input(USER, { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }, USER),
    words: "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'",
  },
  {
    rule: 'content',
    legal: LEGAL,
    illegal: input({ role: 'user' }),
    words: "Missing required parameter: 'input[0].content'",
  },
  {
    rule: 'names of calls',
    legal: LEGAL,
    illegal: input(USER, { ...CALL, name: 'a b' }, OUTPUT),
    words: "Invalid 'input[1].name'",
  },
  {
    rule: 'arguments as a string',
    legal: LEGAL,
    illegal: input(USER, { ...CALL, arguments: {} }, OUTPUT),
    words: 'expected a string, but got an object instead',
  },
  {
    rule: 'every call answered',
    legal: LEGAL,
    illegal: input(USER, CALL),
    words: 'No tool output found for function call call_a.',
  },
  {
    rule: 'no orphan outputs',
    legal: LEGAL,
    illegal: input(USER, OUTPUT),
    words: 'No tool call found for function call output with call_id call_a.',
  },
  {
    rule: 'unique calls',
    legal: LEGAL,
    illegal: input(USER, CALL, OUTPUT, CALL),
    words: 'Duplicate function call with call_id call_a',
  },
  {
    rule: 'one output per call',
    legal: LEGAL,
    illegal: input(USER, CALL, OUTPUT, OUTPUT),
    words: 'Duplicate function call output with call_id call_a',
  },
  {
    rule: 'unique items',
    legal: LEGAL,
    illegal: input(USER, { ...CALL, id: 'fc_1' }, { ...CALL, id: 'fc_1', call_id: 'b' }, OUTPUT, {
      ...OUTPUT,
      call_id: 'b',
    }),
    words: 'Duplicate item found with id fc_1',
  },
];

describe('the rules of Responses', () => {
  it.each(RULES)('$rule', ({ legal, illegal, words }) => {
    expect(judge(responses, legal)).toEqual([]);
    expect(judge(responses, illegal).join('\n')).toContain(words);
  });

  describe('of encrypted reasoning', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
    const call = { ...CALL, id: 'fc_1' };
    const memory = new Memory();
    memory.remember('gpt-5.2', [reasoning, { ...call, status: 'completed' }]);

    it.each<[rule: string, body: object, broken: string | undefined]>([
      ['comes back in order', input(USER, reasoning, call, OUTPUT), undefined],
      ['may be left out together with the ids', LEGAL, undefined],
      [
        'may not be left out alone',
        input(USER, call, OUTPUT),
        "400 Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
      ],
      [
        'is not the last item',
        input(USER, CALL, OUTPUT, reasoning),
        "400 Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      ],
      [
        'is sealed by this server',
        input(USER, { ...reasoning, encrypted_content: 'other' }, call, OUTPUT),
        '400 The encrypted content othe... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
      ],
      [
        'is sealed for this model',
        { ...input(USER, reasoning, call, OUTPUT), model: 'gpt-5.3' },
        '400 The encrypted content seal... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
      ],
      [
        'is not looked up without it',
        input(USER, { ...reasoning, encrypted_content: null }, call, OUTPUT),
        "404 Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
      ],
    ])('%s', (_rule, asked, broken) => {
      expect(judge(responses, asked, { memory })).toEqual(broken === undefined ? [] : [broken]);
    });
  });
});
