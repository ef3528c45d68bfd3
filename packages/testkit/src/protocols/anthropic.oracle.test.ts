import Anthropic, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import type { FakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { answer, call, finish, text, thought, together } from '../script.ts';

const TOOL = {
  name: 'read_file',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
} as const satisfies Anthropic.Tool;
const QUESTION = {
  model: 'claude-opus-4-6',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'hello' }],
  tools: [TOOL],
};
const USAGE = {
  promptTokenCount: 100,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 3,
  cachedContentTokenCount: 60,
  cacheWriteTokenCount: 30,
};
const STEP = answer(
  thought('hmm, '),
  thought('so', { signature: 'signed' }),
  thought('', { redacted: 'opaque' }),
  text('I '),
  text('read.'),
  together(call('read_file', { path: 'a"}' }, { id: 'toolu_a' }), call('read_file', {}, { id: 'toolu_b' })),
  finish('STOP', { usage: USAGE }),
);
const CONTENT = [
  { type: 'thinking', thinking: 'hmm, so', signature: 'signed' },
  { type: 'redacted_thinking', data: 'opaque' },
  { type: 'text', text: 'I read.' },
  { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: { path: 'a"}' } },
  { type: 'tool_use', id: 'toolu_b', name: 'read_file', input: {} },
];

const client = (model: FakeModel) => new Anthropic({ baseURL: model.url, apiKey: 'key', maxRetries: 0 });

describe("Anthropic's client reads the scripted Messages server", () => {
  it.each([{}, { argumentPieces: 1 }, { pings: true }, { overlappingBlocks: true }])(
    'streams thinking, text, two calls, the reason and usage (%o)',
    async (quirks) => {
      await using model = await fakeModel([STEP], { protocol: 'anthropic', quirks });
      const message = await client(model).messages.stream(QUESTION).finalMessage();
      expect(message.content).toEqual(CONTENT);
      expect({ reason: message.stop_reason, model: message.model, usage: message.usage }).toMatchObject({
        reason: 'tool_use',
        model: 'claude-opus-4-6',
        usage: { input_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30, output_tokens: 10 },
      });
      model.assertDone();
    },
  );

  it('answers unstreamed with the same message', async () => {
    await using model = await fakeModel([STEP], { protocol: 'anthropic' });
    const message = await client(model).messages.create(QUESTION);
    expect({ content: message.content, reason: message.stop_reason }).toEqual({ content: CONTENT, reason: 'tool_use' });
  });

  it('omits thinking and keeps its signature', async () => {
    await using model = await fakeModel([STEP], { protocol: 'anthropic', quirks: { thinking: 'omitted' } });
    const message = await client(model).messages.stream(QUESTION).finalMessage();
    expect(message.content[0]).toEqual({ type: 'thinking', thinking: '', signature: 'signed' });
  });

  it.each([
    ['MAX_TOKENS', 'max_tokens'],
    ['SAFETY', 'refusal'],
    ['pause_turn', 'pause_turn'],
  ])('writes %s as %s', async (reason, expected) => {
    await using model = await fakeModel([answer(text('x'), finish(reason))], { protocol: 'anthropic' });
    expect((await client(model).messages.stream(QUESTION).finalMessage()).stop_reason).toBe(expected);
  });

  it.each([
    [400, BadRequestError, 'invalid_request_error'],
    [401, AuthenticationError, 'authentication_error'],
    [429, RateLimitError, 'rate_limit_error'],
    [529, InternalServerError, 'overloaded_error'],
  ] as const)('raises its own class for %i', async (status, expected, type) => {
    await using model = await fakeModel([fault(status, { message: 'the words' })], { protocol: 'anthropic' });
    const failed: unknown = await client(model)
      .messages.create(QUESTION)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(expected);
    expect(failed).toMatchObject({ status, error: { type: 'error', error: { type, message: 'the words' } } });
  });

  it('raises on an error event', async () => {
    await using model = await fakeModel([fault('error_frame', { status: 529 })], { protocol: 'anthropic' });
    await expect(client(model).messages.stream(QUESTION).finalMessage()).rejects.toThrow('overloaded');
  });

  it('counts tokens and lists models', async () => {
    await using model = await fakeModel([], {
      protocol: 'anthropic',
      countTokens: () => 42,
      models: [{ id: 'claude-opus-5', max_input_tokens: 1_000_000 }],
    });
    const { messages, models } = client(model);
    expect((await messages.countTokens({ model: 'm', messages: QUESTION.messages })).input_tokens).toBe(42);
    expect((await models.list()).data).toEqual([{ id: 'claude-opus-5', max_input_tokens: 1_000_000 }]);
  });

  it('takes back the content its client returns', async () => {
    await using model = await fakeModel([STEP, text('done')], { protocol: 'anthropic' });
    const { content } = await client(model).messages.stream(QUESTION).finalMessage();
    const results = ['toolu_a', 'toolu_b'].map((id) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'x',
    }));
    const messages = [
      ...QUESTION.messages,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: results },
    ];
    const next = await client(model).messages.create({ ...QUESTION, messages });
    expect(next.content).toEqual([{ type: 'text', text: 'done' }]);
    model.assertDone();
  });
});
