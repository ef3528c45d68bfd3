import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import type { FakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { answer, call, finish, say, text, thought, together } from '../script.ts';

const TOOL = {
  type: 'function',
  function: { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
} as const;
const QUESTION = {
  model: 'gpt-4.1',
  messages: [{ role: 'user' as const, content: 'hello' }],
  tools: [TOOL],
};
const USAGE = { promptTokenCount: 100, candidatesTokenCount: 7, thoughtsTokenCount: 3, cachedContentTokenCount: 60 };
const STEP = answer(
  thought('hmm'),
  text('I '),
  text('read.'),
  together(call('read_file', { path: 'a"}' }, { id: 'call_a' }), call('read_file', { path: 'b' }, { id: 'call_b' })),
  finish('STOP', { usage: USAGE }),
);

const client = (model: FakeModel) => new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'key', maxRetries: 0 });

describe("OpenAI's client reads the scripted Chat Completions server", () => {
  it.each([{}, { argumentPieces: 1 }, { names: 'repeated' as const, argumentPieces: 100 }])(
    'streams text, two calls, the reason and usage (%o)',
    async (quirks) => {
      await using model = await fakeModel([STEP], { protocol: 'chat', quirks });
      const stream = client(model).chat.completions.stream({ ...QUESTION, stream_options: { include_usage: true } });
      const completion = await stream.finalChatCompletion();
      const [choice] = completion.choices;
      expect({ reason: choice?.finish_reason, content: choice?.message.content, model: completion.model }).toEqual({
        reason: 'tool_calls',
        content: 'I read.',
        model: 'gpt-4.1',
      });
      expect(choice?.message).toMatchObject({ reasoning_content: 'hmm' });
      expect(choice?.message.tool_calls).toMatchObject([
        { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a\\"}"}' } },
        { id: 'call_b', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
      ]);
      expect(completion.usage).toMatchObject({
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 3 },
      });
      model.assertDone();
    },
  );

  it('answers unstreamed with the same message', async () => {
    await using model = await fakeModel([STEP], { protocol: 'chat' });
    const completion = await client(model).chat.completions.create(QUESTION);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I read.', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
    });
    expect(completion.usage?.total_tokens).toBe(110);
  });

  it('sends usage only if asked', async () => {
    await using model = await fakeModel([say('hi')], { protocol: 'chat' });
    const stream = await client(model).chat.completions.create({ ...QUESTION, stream: true });
    const usages = [];
    for await (const chunk of stream) usages.push(chunk.usage);
    expect(usages.filter(Boolean)).toEqual([]);
  });

  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [404, NotFoundError],
    [429, RateLimitError],
    [503, InternalServerError],
  ] as const)('raises its own class for %i', async (status, expected) => {
    await using model = await fakeModel([fault(status, { message: 'the words' })], { protocol: 'chat' });
    const failed: unknown = await client(model)
      .chat.completions.create(QUESTION)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(expected);
    expect(failed).toMatchObject({ status, message: `${status} the words` });
  });

  it('raises on an error frame', async () => {
    await using model = await fakeModel([fault('error_frame', { message: 'gone' })], { protocol: 'chat' });
    await expect(client(model).chat.completions.stream(QUESTION).finalChatCompletion()).rejects.toThrow('gone');
  });

  it('lists models', async () => {
    await using model = await fakeModel([], { protocol: 'chat', models: [{ id: 'a' }, { id: 'b' }] });
    expect((await client(model).models.list()).data).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  it('takes back the message its client returns', async () => {
    await using model = await fakeModel([STEP, say('done')], { protocol: 'chat' });
    const { choices } = await client(model).chat.completions.create(QUESTION);
    const { message } = choices[0]!;
    const results = ['call_a', 'call_b'].map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' }));
    const messages = [...QUESTION.messages, message, ...results];
    const next = await client(model).chat.completions.create({ ...QUESTION, messages });
    expect(next.choices[0]?.message.content).toBe('done');
    model.assertDone();
  });
});
