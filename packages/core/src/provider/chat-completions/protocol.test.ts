import { answer, call, ending, finish, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { originOf } from '../../protocol/origin.ts';
import { TEST_KEY, WITH_TOOL, openAt, result, sendTo, user } from '../wire/provider.fixture.ts';

describe('Chat Completions', () => {
  it('sends a conversation and reads an answer', async () => {
    await using opened = await openAt('chat', [say(['Hel', 'lo'])]);
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', finishReason: 'STOP' });
    expect(sent.frames.at(-1)).toMatchObject({
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    });
    const [request] = opened.model.requests;
    expect(request?.headers['authorization']).toBe(`Bearer ${TEST_KEY}`);
    expect(request?.body).toMatchObject({
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
    expect(request?.body).not.toHaveProperty('temperature');
    opened.model.assertDone();
  });

  it('carries a tool loop, the reasoning included where it must come back', async () => {
    const step = answer(thought('I read.'), call('read_file', { path: 'a "b" }' }, { id: 'call_1' }), finish());
    const quirks = { reasoning: { field: 'reasoning_content', echo: 'always' } } as const;
    await using opened = await openAt('chat', [step, say('done')], {}, { quirks });
    const first = await sendTo(opened, [user('go')]);
    expect(first).toMatchObject({
      thoughts: 'I read.',
      calls: [{ id: 'call_1', name: 'read_file', args: { path: 'a "b" }' } }],
    });
    expect(originOf(first.turn)).toMatchObject({ provider: 'test', protocol: 'chat', model: 'm' });
    const second = await sendTo(opened, [user('go'), first.turn, result(first.calls[0]!, { output: 'text' })]);
    expect(second.text).toBe('done');
    expect(opened.model.requests[1]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I read.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a \\"b\\" }"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'text' },
    ]);
    opened.model.assertDone();
  });

  it('returns the reasoning of one model as the settings of that model say', async () => {
    const step = () => answer(thought('I read.'), call('read_file', { path: 'a' }, { id: 'call_1' }), finish());
    const models = {
      m: { thinking: 'effort', reasoning: { field: 'reasoning_content', echo: 'calls', knob: 'effort' } },
    } as const;
    await using opened = await openAt('chat', [step(), say('done'), step(), say('done')], {}, { models });
    for (const model of ['m', 'other']) {
      const config = { ...WITH_TOOL, thinkingConfig: { thinkingBudget: 4_096 } };
      const first = await sendTo(opened, [user('go')], config, model);
      await sendTo(opened, [user('go'), first.turn, result(first.calls[0]!, { output: 'text' })], config, model);
    }
    const bodies = opened.model.requests.map(({ body }) => body);
    expect(bodies.map((body) => body.reasoning_effort)).toEqual(['low', 'low', undefined, undefined]);
    expect([bodies[1], bodies[3]].map((body) => body?.messages[2].reasoning_content)).toEqual(['I read.', undefined]);
  });

  it('ends without a finish reason when the stream does', async () => {
    await using opened = await openAt('chat', [answer(text('half'), ending('end'))]);
    expect(await sendTo(opened, [user('hi')])).toMatchObject({ text: 'half', finishReason: undefined });
  });
});
