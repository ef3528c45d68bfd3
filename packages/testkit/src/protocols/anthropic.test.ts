import { describe, expect, it } from 'vitest';
import { fakeModel } from '../fake-model.ts';
import { fault } from '../faults.ts';
import { answer, call, finish, say, text, thought } from '../script.ts';
import { Memory } from './memory.ts';
import { ask } from './wire.fixture.ts';

const STEP = answer(thought('hmm'), text('hi'), call('read_file', { path: 'a' }, { id: 'toolu_a' }));
const HELLO = { role: 'user', content: 'hello' };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' }] };
const VERTEX = '/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-6';

describe('Messages', () => {
  it('streams blocks between message_start and message_stop', async () => {
    await using model = await fakeModel([STEP], { protocol: 'anthropic' });
    const { events, frames } = await ask(model.url, 'anthropic');
    expect(events).toEqual([
      ...['message_start', 'ping'],
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
    expect(frames.flatMap((frame) => frame['delta']?.type ?? [])).toEqual([
      ...['thinking_delta', 'signature_delta', 'text_delta', 'input_json_delta', 'input_json_delta'],
    ]);
  });

  it('writes as llama.cpp does: blocks stop at the end, a call starts without input', async () => {
    await using model = await fakeModel([STEP], { protocol: 'anthropic', quirks: { overlappingBlocks: true } });
    const { events, frames } = await ask(model.url, 'anthropic');
    expect(events.slice(-5)).toEqual([
      ...['content_block_stop', 'content_block_stop', 'content_block_stop', 'message_delta', 'message_stop'],
    ]);
    const start = frames.find((frame) => frame['content_block']?.type === 'tool_use');
    expect(start?.['content_block']).toEqual({ type: 'tool_use', id: 'toolu_a', name: 'read_file' });
  });

  it.each([true, false])('counts cached tokens apart (stream: %s)', async (stream) => {
    const usage = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      cacheWriteTokenCount: 30,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
    };
    await using model = await fakeModel([say('hi', { usage })], { protocol: 'anthropic' });
    const met = await ask(model.url, 'anthropic', { stream });
    const reports = stream ? met.frames.map((frame) => frame['message']?.usage ?? frame['usage']) : [met.json['usage']];
    expect(Object.assign({}, ...reports)).toEqual({
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      output_tokens: 10,
      output_tokens_details: { thinking_tokens: 3 },
    });
  });

  it('sends redacted thinking whole and omitted thinking with its signature', async () => {
    const step = answer(thought('hmm', { signature: 'sig' }), thought('', { redacted: 'opaque' }), text('hi'));
    await using model = await fakeModel([step], { protocol: 'anthropic', quirks: { thinking: 'omitted' } });
    const { frames } = await ask(model.url, 'anthropic');
    expect(frames.flatMap((frame) => frame['content_block'] ?? frame['delta'] ?? []).slice(0, 3)).toEqual([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'signature_delta', signature: 'sig' },
      { type: 'redacted_thinking', data: 'opaque' },
    ]);
  });

  it.each([
    ['MAX_TOKENS', { stop_reason: 'max_tokens' }],
    ['SAFETY', { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: 'No.' } }],
    ['pause_turn', { stop_reason: 'pause_turn' }],
  ])('writes %s as %o', async (reason, expected) => {
    const step = answer(text('x'), finish(reason, { message: 'No.' }));
    await using model = await fakeModel([step], { protocol: 'anthropic' });
    expect((await ask(model.url, 'anthropic', { stream: false })).json).toMatchObject(expected);
  });

  it('leaves the last block open when the stream breaks off', async () => {
    await using model = await fakeModel([fault('end_without_finish')], { protocol: 'anthropic' });
    const { events } = await ask(model.url, 'anthropic');
    expect(events).toEqual(['message_start', 'ping', 'content_block_start', 'content_block_delta']);
  });

  it('remembers what it sent: thinking comes back as it was, or the request is rejected', async () => {
    await using model = await fakeModel([STEP, text('done')], { protocol: 'anthropic' });
    const { json } = await ask(model.url, 'anthropic', { stream: false });
    const echo = (content: unknown) => ({ messages: [HELLO, { role: 'assistant', content }, RESULT] });
    const [thinking, ...others] = json['content'] as object[];
    const refused = await ask(model.url, 'anthropic', echo([{ ...thinking, thinking: 'hm' }, ...others]));
    expect(refused.json).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
    });
    expect(model.violations).toHaveLength(1);
    expect((await ask(model.url, 'anthropic', echo(json['content']))).status).toBe(200);
  });

  it('lets a client drop its thinking after a 400', async () => {
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    await using model = await fakeModel([STEP, fault(400, { message }), text('done')], { protocol: 'anthropic' });
    const { json } = await ask(model.url, 'anthropic', { stream: false });
    const content = json['content'] as object[];
    const echo = (blocks: object[]) => ({ messages: [HELLO, { role: 'assistant', content: blocks }, RESULT] });
    expect((await ask(model.url, 'anthropic', echo(content))).status).toBe(400);
    expect((await ask(model.url, 'anthropic', echo(content.slice(1)))).status).toBe(200);
    model.assertDone();
  });

  it('shares what servers remember, if the test wants it', async () => {
    const memory = new Memory();
    await using first = await fakeModel([STEP], { protocol: 'anthropic', memory });
    await using second = await fakeModel([text('done')], { protocol: 'anthropic', memory });
    const { json } = await ask(first.url, 'anthropic', { stream: false });
    const messages = [HELLO, { role: 'assistant', content: json['content'] }, RESULT];
    expect((await ask(second.url, 'anthropic', { messages })).status).toBe(200);
  });

  it('answers on the paths of Vertex, with a bearer token only', async () => {
    await using model = await fakeModel([text('hi')], { protocol: 'anthropic', countTokens: () => 42 });
    const body = { model: undefined, anthropic_version: 'vertex-2023-10-16' };
    const path = `${VERTEX}:streamRawPredict`;
    const answered = await ask(model.url, 'anthropic', body, { path });
    expect(answered.events.at(-1)).toBe('message_stop');
    expect(model.requests[0]).toMatchObject({ model: 'claude-opus-4-6', action: 'streamGenerateContent' });
    expect((await ask(model.url, 'anthropic', body, { path, headers: { 'x-api-key': 'key' } })).status).toBe(401);
    const counted = await ask(
      model.url,
      'anthropic',
      {},
      { path: `${VERTEX.replace('claude-opus-4-6', 'count-tokens')}:rawPredict` },
    );
    expect(counted.json).toEqual({ input_tokens: 42 });
  });
});
