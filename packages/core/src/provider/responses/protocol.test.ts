import { answer, call, ending, finish, jsonAnswer, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { originOf } from '../../protocol/origin.ts';
import { openAt, result, sendTo, user } from '../wire/provider.fixture.ts';

/** A model that reasons. */
const REASONS = { models: { m: { thinking: 'effort' as const } } };

describe('OpenAI Responses', () => {
  it('sends a conversation and reads an answer', async () => {
    await using opened = await openAt('responses', [say(['Hel', 'lo'])]);
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', finishReason: 'STOP' });
    expect(opened.model.requests[0]?.body).toEqual({
      model: 'm',
      stream: true,
      store: false,
      instructions: 'Be brief.',
      tools: [expect.objectContaining({ type: 'function', name: 'read_file', strict: false })],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    });
    opened.model.assertDone();
  });

  it('returns encrypted reasoning with the items it led to, in order, and only to the model that made it', async () => {
    const step = answer(
      thought('I look.', { signature: 'encrypted-1' }),
      text('I read.'),
      call('read_file', { path: 'a' }, { id: 'call_1' }),
      finish(),
    );
    await using opened = await openAt('responses', [step, say('done'), say('other')], {}, REASONS);
    const first = await sendTo(opened, [user('go')]);
    expect(first.thoughts).toBe('I look.');
    const history = [user('go'), first.turn, result(first.calls[0]!, { output: 'text' })];
    expect((await sendTo(opened, history)).text).toBe('done');
    expect(opened.model.requests[1]?.body.include).toEqual(['reasoning.encrypted_content']);
    expect(opened.model.requests[1]?.body.input.slice(1)).toEqual([
      expect.objectContaining({
        type: 'reasoning',
        id: expect.stringMatching(/^rs_/),
        encrypted_content: 'encrypted-1',
        summary: [{ type: 'summary_text', text: 'I look.' }],
      }),
      expect.objectContaining({ type: 'message', id: expect.stringMatching(/^msg_/), role: 'assistant' }),
      expect.objectContaining({ type: 'function_call', id: expect.stringMatching(/^fc_/), call_id: 'call_1' }),
      { type: 'function_call_output', call_id: 'call_1', output: 'text' },
    ]);
    await sendTo(opened, history, undefined, 'another');
    const items = opened.model.requests[2]?.body.input as { type: string; id?: string }[];
    expect(items.map(({ type, id }) => [type, id])).toEqual([
      ['message', undefined],
      ['message', undefined],
      ['function_call', undefined],
      ['function_call_output', undefined],
    ]);
    opened.model.assertDone();
  });

  it('is cut off when it has as many tokens as the request allows, whatever the server calls it', async () => {
    await using opened = await openAt('responses', [say('on and on'), say('on and on')]);
    expect((await sendTo(opened, [user('go')], { maxOutputTokens: 5 })).finishReason).toBe('MAX_TOKENS');
    expect((await sendTo(opened, [user('go')], { maxOutputTokens: 6 })).finishReason).toBe('STOP');
    opened.model.assertDone();
  });

  it('ends without a finish reason when the stream does', async () => {
    await using opened = await openAt('responses', [answer(text('half'), ending('end'))]);
    expect(await sendTo(opened, [user('hi')])).toMatchObject({ text: 'half', finishReason: undefined });
  });

  it('keeps the reasoning of a response that came whole, and throws the refusal or the error it reports', async () => {
    const summary = [{ type: 'summary_text', text: 'I look.' }];
    const message = (content: object) => ({ type: 'message', id: 'msg_1', content: [content] });
    const whole = (output: object[], more: object = {}) =>
      jsonAnswer(200, { object: 'response', id: 'resp_1', status: 'completed', error: null, output, ...more });
    await using opened = await openAt('responses', [
      whole([
        { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'sealed' },
        message({ type: 'output_text', text: 'Hello' }),
      ]),
      whole([message({ type: 'refusal', refusal: 'Not that.' })]),
      whole([], { status: 'failed', error: { code: 'server_error', message: 'broken' } }),
    ]);
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', thoughts: 'I look.', finishReason: 'STOP' });
    expect(originOf(sent.turn)).toMatchObject({
      blocks: [
        { before: 0, type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed' },
        { before: 0, type: 'message', id: 'msg_1' },
      ],
    });
    await expect(sendTo(opened, [user('hi')])).rejects.toThrow('Not that.');
    await expect(sendTo(opened, [user('hi')])).rejects.toMatchObject({ message: 'broken', reason: 'server' });
  });
});
