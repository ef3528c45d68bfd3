import { answer, call, ending, finish, say, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openAt, result, sendTo, user } from '../wire/provider.fixture.ts';

describe('Ollama', () => {
  it('sets the window, forbids a silent cut and reads an answer', async () => {
    await using opened = await openAt('ollama', [say(['Hel', 'lo'])], {}, { models: { m: { contextWindow: 65_536 } } });
    const sent = await sendTo(opened, [user('hi')]);
    expect(sent).toMatchObject({ text: 'Hello', finishReason: 'STOP' });
    expect(opened.model.requests[0]?.body).toMatchObject({
      model: 'm',
      stream: true,
      truncate: false,
      options: { num_ctx: 65_536 },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
    opened.model.assertDone();
  });

  it('carries a tool loop with arguments as objects and thinking where it led to calls', async () => {
    const step = answer(thought('I read.'), call('read_file', { path: 'a' }, { id: 'call_1' }), finish());
    await using opened = await openAt('ollama', [step, say('done')]);
    const first = await sendTo(opened, [user('go')]);
    const second = await sendTo(opened, [user('go'), first.turn, result(first.calls[0]!, { error: 'gone' })]);
    expect(second.text).toBe('done');
    expect(opened.model.requests[1]?.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        thinking: 'I read.',
        tool_calls: [{ id: 'call_1', function: { index: 0, name: 'read_file', arguments: { path: 'a' } } }],
      },
      { role: 'tool', tool_name: 'read_file', tool_call_id: 'call_1', content: 'Error: gone' },
    ]);
    opened.model.assertDone();
  });

  it.each([
    ['effort', 'HIGH', 'high'],
    ['effort', 'MINIMAL', 'low'],
    ['switch', 'HIGH', true],
    [undefined, 'HIGH', undefined],
  ] as const)(
    'asks a model with the knob %s for thinking of level %s by %s',
    async (thinking, thinkingLevel, think) => {
      await using opened = await openAt('ollama', [say('ok')], {}, { models: { m: { thinking } } });
      await sendTo(opened, [user('hi')], { thinkingConfig: { thinkingLevel } });
      expect(opened.model.requests[0]?.body.think).toBe(think);
    },
  );

  it('ends without a finish reason when the stream does', async () => {
    await using opened = await openAt('ollama', [answer(text('half'), ending('end'))]);
    expect(await sendTo(opened, [user('hi')])).toMatchObject({ text: 'half', finishReason: undefined });
  });
});
