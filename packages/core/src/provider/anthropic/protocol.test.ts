import { answer, call, ending, finish, jsonAnswer, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Content } from '../../protocol/content.ts';
import { originOf } from '../../protocol/origin.ts';
import { TEST_KEY, openAt, result, sendTo, user } from '../wire/provider.fixture.ts';

const MARK = { cache_control: { type: 'ephemeral' } };

describe('Anthropic Messages', () => {
  it('sends a conversation and reads an answer', async () => {
    await using opened = await openAt('anthropic', [say(['Hel', 'lo'])]);
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', finishReason: 'STOP' });
    const [request] = opened.model.requests;
    expect(request?.headers).toMatchObject({ 'x-api-key': TEST_KEY, 'anthropic-version': '2023-06-01' });
    expect(request?.body).toMatchObject({
      model: 'm',
      stream: true,
      max_tokens: 8_192,
      system: [{ type: 'text', text: 'Be brief.', ...MARK }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', ...MARK }] }],
      tools: [{ name: 'read_file', input_schema: { type: 'object' } }],
    });
    expect(request?.body).not.toHaveProperty('temperature');
    opened.model.assertDone();
  });

  it('reserves no more for the answer than a quarter of a known window', async () => {
    const known = { models: { m: { contextWindow: 6_000 } } };
    await using opened = await openAt('anthropic', [say('ok')], {}, known);
    await sendTo(opened, [user('hi')]);
    expect(opened.model.requests[0]?.body).toMatchObject({ max_tokens: 1_500 });
  });

  it('returns thinking byte-equal and in its place, and only to the model that made it', async () => {
    const step = answer(
      thought('First, \ud83d lone.', { signature: 'sig-1' }),
      text('I read.'),
      thought('', { signature: 'sig-2' }),
      call('read_file', { path: 'a' }, { id: 'toolu_1' }),
      finish(),
    );
    await using opened = await openAt('anthropic', [step, say('done'), say('other')]);
    const first = await sendTo(opened, [user('go')]);
    const history = [user('go'), first.turn, result(first.calls[0]!, { output: 'text' })];
    expect((await sendTo(opened, history)).text).toBe('done');
    expect(opened.model.requests[1]?.body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'First, \ud83d lone.', signature: 'sig-1' },
      { type: 'text', text: 'I read.' },
      { type: 'thinking', thinking: '', signature: 'sig-2' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
    ]);
    await sendTo(opened, history, undefined, 'another');
    expect(opened.model.requests[2]?.body.messages[1].content).toEqual([
      { type: 'text', text: 'I read.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
    ]);
    opened.model.assertDone();
  });

  it('keeps the bytes of earlier turns equal, and marks the last two turns of the user', async () => {
    await using opened = await openAt('anthropic', [say('a'), say('b'), say('c')]);
    const history: Content[] = [];
    for (const words of ['one', 'two', 'three']) {
      history.push(user(words));
      history.push((await sendTo(opened, history)).turn);
    }
    const marked = opened.model.requests.map(({ body }) =>
      body.messages.map(({ content }: { content: object[] }) => content.some((block) => 'cache_control' in block)),
    );
    expect(marked).toEqual([[true], [true, false, true], [false, false, true, false, true]]);
  });

  it('reads text, calls and text in their order', async () => {
    await using opened = await openAt('anthropic', [
      answer(text('before'), call('read_file', { path: 'a' }), text('after'), finish()),
    ]);
    const { turn } = await sendTo(opened, [user('go')]);
    expect(turn.parts).toMatchObject([{ text: 'before' }, { functionCall: { name: 'read_file' } }, { text: 'after' }]);
  });

  it('ends without a finish reason when the stream does', async () => {
    await using opened = await openAt('anthropic', [answer(text('half'), ending('end'))]);
    expect(await sendTo(opened, [user('hi')])).toMatchObject({ text: 'half', finishReason: undefined });
  });

  it('keeps the thinking of a message that came whole, signed and in its place', async () => {
    const whole = {
      type: 'message',
      id: 'msg_1',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'I look.', signature: 'signed-1' },
        { type: 'text', text: 'Hello' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2 },
    };
    await using opened = await openAt('anthropic', [jsonAnswer(200, whole)]);
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', thoughts: 'I look.', finishReason: 'STOP' });
    const blocks = [{ before: 0, type: 'thinking', text: 'I look.', signature: 'signed-1' }];
    expect(originOf(sent.turn)).toMatchObject({ blocks });
  });
});
