import OpenAI, { BadRequestError, RateLimitError } from 'openai';
import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import type { FakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { answer, call, finish, text, thought, together } from '../script.ts';

const TOOL = {
  type: 'function',
  name: 'read_file',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  strict: false,
} as const;
const QUESTION = {
  model: 'gpt-5.2',
  input: [{ role: 'user' as const, content: 'hello' }],
  tools: [TOOL],
  store: false,
};
const USAGE = { promptTokenCount: 100, candidatesTokenCount: 7, thoughtsTokenCount: 3, cachedContentTokenCount: 60 };
const STEP = answer(
  thought('hmm, '),
  thought('so', { signature: 'sealed' }),
  text('I '),
  text('read.'),
  together(call('read_file', { path: 'a"}' }, { id: 'call_a' }), call('read_file', { path: 'b' }, { id: 'call_b' })),
  finish('STOP', { usage: USAGE }),
);

const client = (model: FakeModel) => new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'key', maxRetries: 0 });

describe("OpenAI's client reads the scripted Responses server", () => {
  it.each([{}, { argumentPieces: 1 }])('streams reasoning, text, two calls and usage (%o)', async (quirks) => {
    await using model = await fakeModel([STEP], { protocol: 'responses', quirks });
    const response = await client(model).responses.stream(QUESTION).finalResponse();
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hmm, so' }], encrypted_content: 'sealed' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I read.' }] },
      { type: 'function_call', call_id: 'call_a', name: 'read_file', arguments: '{"path":"a\\"}"}' },
      { type: 'function_call', call_id: 'call_b', name: 'read_file', arguments: '{"path":"b"}' },
    ]);
    expect({ status: response.status, usage: response.usage }).toMatchObject({
      status: 'completed',
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 3 },
      },
    });
    model.assertDone();
  });

  it('accumulates the deltas to what the whole items say', async () => {
    await using model = await fakeModel([STEP], { protocol: 'responses', quirks: { argumentPieces: 2 } });
    const sums: Record<string, string> = {};
    for await (const event of client(model).responses.stream(QUESTION)) {
      if (event.type.endsWith('.delta') && 'item_id' in event && 'delta' in event) {
        sums[event.item_id] = (sums[event.item_id] ?? '') + String(event.delta);
      }
    }
    expect(Object.values(sums)).toEqual(['hmm, so', 'I read.', '{"path":"a\\"}"}', '{"path":"b"}']);
  });

  it('answers unstreamed with the same items', async () => {
    await using model = await fakeModel([STEP], { protocol: 'responses' });
    const response = await client(model).responses.create(QUESTION);
    expect(response.output_text).toBe('I read.');
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  });

  it('ends an answer that ran out of tokens as incomplete', async () => {
    await using model = await fakeModel([answer(text('half'), finish('MAX_TOKENS'))], { protocol: 'responses' });
    const response = await client(model).responses.stream(QUESTION).finalResponse();
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  it('refuses in words', async () => {
    const step = answer(finish('SAFETY', { message: 'I will not.' }));
    await using model = await fakeModel([step], { protocol: 'responses' });
    const response = await client(model).responses.stream(QUESTION).finalResponse();
    expect(response.output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
  });

  it.each([
    [400, BadRequestError],
    [429, RateLimitError],
  ] as const)('raises its own class for %i', async (status, expected) => {
    await using model = await fakeModel([fault(status, { message: 'the words' })], { protocol: 'responses' });
    const failed: unknown = await client(model)
      .responses.create(QUESTION)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(expected);
    expect(failed).toMatchObject({ status, message: `${status} the words` });
  });

  it('counts tokens', async () => {
    await using model = await fakeModel([], { protocol: 'responses', countTokens: () => 42 });
    expect((await client(model).responses.inputTokens.count(QUESTION)).input_tokens).toBe(42);
  });

  it('takes back the items its client returns', async () => {
    await using model = await fakeModel([STEP, text('done')], { protocol: 'responses' });
    const { output } = await client(model).responses.create(QUESTION);
    const results = ['call_a', 'call_b'].map((id) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: 'x',
    }));
    const items = output as OpenAI.Responses.ResponseInputItem[];
    const input = [...QUESTION.input, ...items, ...results];
    expect((await client(model).responses.create({ ...QUESTION, input })).output_text).toBe('done');
    model.assertDone();
  });
});
