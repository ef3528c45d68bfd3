import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { answer, call, finish, say, text, thought } from '../script.ts';
import { ask } from './wire.fixture.ts';

const STEP = answer(thought('hmm', { signature: 'sealed' }), text('hi'), call('read_file', { path: 'a' }));

describe('Responses', () => {
  it('streams the events of each item between created and completed', async () => {
    await using model = await fakeModel([STEP], { protocol: 'responses' });
    const { events, frames } = await ask(model.url, 'responses');
    expect(events).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(frames.map((frame) => frame['sequence_number'])).toEqual(frames.map((_, index) => index));
    expect(frames.map((frame) => frame['type'])).toEqual(events);
  });

  it('writes as llama.cpp does: no indexes, the message closed after the call began', async () => {
    await using model = await fakeModel([STEP], { protocol: 'responses', quirks: { noOutputIndex: true } });
    const { events, body } = await ask(model.url, 'responses');
    expect(body).not.toMatch(/output_index|sequence_number|arguments\.done/);
    const [added, done] = [
      events.lastIndexOf('response.output_item.added'),
      events.indexOf('response.output_text.done'),
    ];
    expect(done).toBeGreaterThan(added);
  });

  it.each([true, false])('counts in its terminal event (stream: %s)', async (stream) => {
    const usage = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
    };
    await using model = await fakeModel([say('hi', { usage })], { protocol: 'responses' });
    const met = await ask(model.url, 'responses', { stream });
    expect((stream ? met.frames.at(-1)?.['response'] : met.json).usage).toEqual({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 110,
    });
    expect(met.body.match(/"input_tokens":/g)).toHaveLength(1);
  });

  it.each([
    ['MAX_TOKENS', 'incomplete', { reason: 'max_output_tokens' }],
    ['SAFETY', 'incomplete', { reason: 'content_filter' }],
    ['STOP', 'completed', null],
  ])('writes %s as %s', async (reason, status, details) => {
    await using model = await fakeModel([answer(text('x'), finish(reason))], { protocol: 'responses' });
    const { frames } = await ask(model.url, 'responses');
    expect(frames.at(-1)).toMatchObject({
      type: `response.${status}`,
      response: { status, incomplete_details: details },
    });
  });

  it('fails in the stream with a code', async () => {
    await using model = await fakeModel([fault('error_frame', { status: 429, message: 'try again in 900ms' })], {
      protocol: 'responses',
    });
    const { frames } = await ask(model.url, 'responses');
    expect(frames.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'try again in 900ms' } },
    });
  });

  it('marks a message with its phase', async () => {
    await using model = await fakeModel([text('hi')], { protocol: 'responses', quirks: { phase: 'final_answer' } });
    const { json } = await ask(model.url, 'responses', { stream: false });
    expect(json['output']).toMatchObject([{ type: 'message', phase: 'final_answer' }]);
  });

  it('accepts its own items back, and not those of another server', async () => {
    await using model = await fakeModel([STEP, text('done')], { protocol: 'responses' });
    await using other = await fakeModel([], { protocol: 'responses' });
    const { json } = await ask(model.url, 'responses', { stream: false });
    const items = (json['output'] as { type: string; content?: unknown; call_id?: string }[]).map((item) =>
      item.type === 'message' ? { ...item, content: [{ type: 'output_text', text: 'hi' }] } : item,
    );
    const output = { type: 'function_call_output', call_id: items[2]?.call_id, output: 'x' };
    const input = [{ role: 'user', content: 'hello' }, ...items, output];
    expect((await ask(model.url, 'responses', { input })).status).toBe(200);
    model.assertDone();
    const refused = await ask(other.url, 'responses', { input });
    expect([refused.status, refused.json['error'].code]).toEqual([400, 'invalid_encrypted_content']);
    expect(() => other.assertDone()).toThrow('could not be verified');
  });
});
