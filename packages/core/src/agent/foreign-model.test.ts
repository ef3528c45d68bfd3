/** What an agent does with a model of another provider, over real HTTP. */

import { answer, fault, finish, say, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Content } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { noticesOf, openForeign } from './foreign-model.fixture.ts';

const long = (characters: number): Content[] => [
  { role: 'user', parts: [{ text: 'old '.repeat(characters / 4) }] },
  { role: 'model', parts: [{ text: 'noted' }] },
  { role: 'user', parts: [{ text: 'new' }] },
  { role: 'model', parts: [{ text: 'fine' }] },
];
const modelsOf = (requests: readonly { body: unknown }[]) =>
  requests.map(({ body }) => (body as { model: string }).model);

describe('an agent with a model of another provider', () => {
  it('sends every request beside the conversation to the small model of that provider', async () => {
    const json = (value: object) => say(JSON.stringify(value));
    await using env = await openForeign(
      {
        far: {
          script: [
            say('done'),
            json({ reasoning: 'It is done.', next_speaker: 'user' }),
            say('a snapshot'),
            say('a better snapshot'),
            say('and on'),
            json({ reasoning: 'It is done.', next_speaker: 'user' }),
          ],
          access: { smallModel: 'little' },
        },
      },
      { model: 'far/big', features: { nextSpeakerCheck: true, classifyRequests: true }, history: long(4_000) },
    );
    await env.ask('one');
    await env.agent.client.tryCompressChat('p', true);
    await env.ask('two');
    expect(modelsOf(env.sent('far'))).toEqual(['big', 'little', 'little', 'little', 'big', 'little']);
    expect(env.unexpected).toEqual([]);
  });

  it('asks a local server no small questions unless a small model is set', async () => {
    await using env = await openForeign(
      { local: { script: [say('done')] } },
      { model: 'local/m', features: { nextSpeakerCheck: true } },
    );
    await env.ask('one');
    expect(modelsOf(env.sent('local'))).toEqual(['m']);
  });

  it('tells once that the window is assumed, and what the provider says beside its answer', async () => {
    const cut = answer(text('ok'), finish('STOP', { usage: { promptTokenCount: 4_090 } }));
    await using env = await openForeign(
      {
        local: {
          protocol: 'ollama',
          script: [cut, cut],
          options: { models: [{ name: 'm' }], key: null },
          access: { models: { m: { contextWindow: 64_000 } } },
        },
        other: { script: [say('ok'), say('ok')] },
      },
      { model: 'local/m', history: long(60_000) },
    );
    const first = noticesOf(await env.ask('one'));
    expect(first).toEqual([expect.stringContaining('num_ctx')]);
    expect(noticesOf(await env.ask('two'))).toEqual([]);
    env.agent.setModel('other/n');
    expect(noticesOf(await env.ask('three'))).toContain(
      'The context window of other/n is unknown; Castor assumes 32,768 tokens. See docs/models.md.',
    );
    expect(JSON.stringify(env.agent.chat.getHistory())).not.toContain('num_ctx');
  });
});

describe('a change of the model', () => {
  it('leaves the history alone, and says once that caches start cold', async () => {
    const counted = answer(text('ok'), finish('STOP', { usage: { promptTokenCount: 30_000 } }));
    const access = { models: { m: { contextWindow: 200_000 } } };
    await using env = await openForeign(
      { one: { script: [counted, counted], access }, two: { script: [counted], access } },
      { model: 'one/m', history: long(4_000) },
    );
    await env.ask('first');
    env.agent.setModel('two/m');
    const events = await env.ask('second');
    expect(noticesOf(events)).toEqual([
      'two/m reads the conversation of about 30,000 tokens anew: the prompt cache of one/m does not apply to it.',
    ]);
    env.agent.setModel('one/m');
    expect(noticesOf(await env.ask('third'))).toEqual([]);
    const sent = env.sent('one')[1]?.body as { messages: { content: string }[] };
    expect(sent.messages.map(({ content }) => content).filter((words) => /^(first|second|third)$/.test(words))).toEqual(
      ['first', 'second', 'third'],
    );
  });

  it('compresses with the former model before the first request to a smaller window', async () => {
    const counted = answer(text('ok'), finish('STOP', { usage: { promptTokenCount: 30_000 } }));
    await using env = await openForeign(
      {
        large: {
          script: [counted, say('a snapshot'), say('a better snapshot')],
          access: { models: { m: { contextWindow: 200_000 } } },
        },
        small: { script: [say('on')], access: { models: { m: { contextWindow: 16_000 } } } },
      },
      { model: 'large/m', history: long(40_000) },
    );
    await env.ask('first');
    env.agent.setModel('small/m');
    const types = (await env.ask('second')).map(({ type }) => type);
    expect(types).toContain(GeminiEventType.ChatCompressed);
    expect(types.indexOf(GeminiEventType.ChatCompressed)).toBeLessThan(types.indexOf(GeminiEventType.Content));
    expect(modelsOf(env.sent('large'))).toEqual(['m', 'm', 'm']);
    expect(JSON.stringify(env.sent('small')[0]?.body)).toContain('a better snapshot');
  });

  it('compresses with the new model when the former one no longer answers', async () => {
    const counted = answer(text('ok'), finish('STOP', { usage: { promptTokenCount: 30_000 } }));
    await using env = await openForeign(
      {
        large: { script: [counted, fault(402)], access: { models: { m: { contextWindow: 200_000 } } } },
        small: {
          script: [say('a snapshot'), say('a better snapshot'), say('on')],
          access: { models: { m: { contextWindow: 16_000 } } },
        },
      },
      { model: 'large/m', history: long(40_000) },
    );
    await env.ask('first');
    env.agent.setModel('small/m');
    await env.ask('second');
    expect(JSON.stringify(env.sent('small').at(-1)?.body)).toContain('a better snapshot');
  });
});

describe('a rejected request', () => {
  it('that names the window teaches it, compresses and goes on', async () => {
    const overflow = fault(400, {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      code: 'context_length_exceeded',
    });
    await using env = await openForeign(
      { far: { script: [overflow, say('a snapshot'), say('a better snapshot'), say('on')] } },
      { model: 'far/m', history: long(20_000) },
    );
    const events = await env.ask('go');
    expect(noticesOf(events)).toContain('far/m reports a context window of 8,192 tokens; this session keeps to it.');
    expect(events.filter(({ type }) => type === GeminiEventType.Error)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
    expect(env.agent.tokenLimit('far/m')).toBe(8_192);
  });

  it('of a missing model names the known ones with a similar name, and falls back to none', async () => {
    await using env = await openForeign(
      {
        far: {
          script: [fault(404, { message: 'The model does not exist.', code: 'model_not_found' })],
          access: { models: { 'qwen3-coder': { contextWindow: 64_000 }, other: {} } },
        },
      },
      { model: 'far/qwen-coder', interactive: true },
    );
    const events = await env.ask('go');
    const ended = events.at(-1);
    expect(ended).toMatchObject({ type: 'prompt_ended', outcome: 'failed', error: { reason: 'not_found' } });
    expect(ended?.type === 'prompt_ended' && ended.error?.message).toContain(
      'Known models with a similar name: far/qwen3-coder, far/other.',
    );
    expect(env.unexpected).toEqual([]);
  });

  it.each([402, 429] as const)('without credit (%i) is not repeated', async (status) => {
    const spent = fault(status, { message: 'You exceeded your current quota.', code: 'insufficient_quota' });
    await using env = await openForeign({ far: { script: [spent] } }, { model: 'far/m' });
    expect((await env.ask('go')).at(-1)).toMatchObject({ outcome: 'failed', error: { reason: 'quota' } });
    expect(env.sent('far')).toHaveLength(1);
  });
});

describe('a server on this machine', () => {
  it('that repeats its failure is asked twice', async () => {
    const broken = fault(500, { message: 'Failed to parse the arguments.' });
    await using env = await openForeign({ local: { script: [broken, broken] } }, { model: 'local/m' });
    expect((await env.ask('go')).at(-1)).toMatchObject({ outcome: 'failed', error: { reason: 'server', attempts: 2 } });
    expect(env.sent('local')).toHaveLength(2);
  });

  it('that loads its model is asked every 1.5 s', async () => {
    const loading = fault(503, { message: 'Loading model', type: 'unavailable_error' });
    await using env = await openForeign(
      { local: { script: [loading, loading, loading, say('ready')] } },
      { model: 'local/m' },
    );
    const retries = (await env.ask('go')).flatMap((event) =>
      event.type === GeminiEventType.Retry && event.value ? [event.value] : [],
    );
    expect(retries.map(({ maxAttempts, isLoading, error }) => [maxAttempts, isLoading, error.message])).toEqual(
      Array.from({ length: 3 }, () => [400, true, 'The model is being loaded: Loading model']),
    );
    for (const { delayMs } of retries) expect(delayMs).toBeGreaterThanOrEqual(1_500);
  });
});
