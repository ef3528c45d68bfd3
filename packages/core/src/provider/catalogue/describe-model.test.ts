/** What a server says of one model, in the shape of each server, over HTTP. */

import { type FakeModelOptions, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../providers.ts';
import { createEndpoint } from '../wire/endpoint.ts';
import { WITH_TOOL, openAt, sendTo, user } from '../wire/provider.fixture.ts';
import { describeModel } from './describe-model.ts';

const BASES: Partial<Record<ProtocolName, string>> = { chat: '/v1' };

/** Asks a server that answers as the options say. */
async function ask(
  id: string,
  protocol: 'chat' | 'anthropic' | 'ollama',
  { about = 'm', ...options }: FakeModelOptions & { about?: string },
) {
  await using model = await fakeModel([], { protocol, key: null, ...options });
  const endpoint = createEndpoint({ baseUrl: `${model.url}${BASES[protocol] ?? ''}` });
  return await describeModel({ id, protocol, endpoint }, about);
}

/** The answers of Ollama about a model. */
const ollama = (shown: object, running: readonly object[] = []): FakeModelOptions => ({
  sides: { '/api/show': shown, '/api/ps': { models: running } },
});
const trained = (window: number) => ({ 'general.architecture': 'llama', 'llama.context_length': window });

describe('the window of a model on Ollama', () => {
  it.each([
    ['is 32,768 of a longer trained one', ollama({ model_info: trained(262_144) }), 32_768],
    ['is the trained one where that is shorter', ollama({ model_info: trained(8_192) }), 8_192],
    [
      'is that of its Modelfile',
      ollama({ model_info: trained(262_144), parameters: 'num_ctx 65536\nstop "x"' }),
      65_536,
    ],
    [
      'is not below the one it is loaded with',
      ollama({ model_info: trained(262_144) }, [{ name: 'm:latest', context_length: 131_072 }]),
      131_072,
    ],
    [
      'is not that of another loaded model',
      ollama({ model_info: trained(262_144) }, [{ name: 'other:latest', context_length: 131_072 }]),
      32_768,
    ],
    ['is 32,768 where the server names none', ollama({}), 32_768],
  ])('%s', async (_, options, contextWindow) => {
    expect(await ask('ollama', 'ollama', options)).toMatchObject({ contextWindow });
  });

  it('comes with its abilities', async () => {
    const able = ollama({ capabilities: ['completion', 'tools', 'vision', 'thinking'] });
    expect(await ask('ollama', 'ollama', able)).toMatchObject({ tools: true, images: true, thinking: 'switch' });
    const plain = await ask('ollama', 'ollama', ollama({ capabilities: ['completion'] }));
    expect(plain).toMatchObject({ tools: false, images: false });
    expect(plain.thinking).toBeUndefined();
  });
});

describe('what other servers say of a model', () => {
  it('is what llama.cpp allots, whatever the name', async () => {
    const sides = { '/props': { default_generation_settings: { n_ctx: 4_096 }, modalities: { vision: false } } };
    const models = [{ id: 'loaded.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }];
    expect(await ask('llamacpp', 'chat', { models, sides })).toEqual({ contextWindow: 4_096, images: false });
    expect(await ask('mine', 'chat', { models, sides, about: 'loaded.gguf' })).toMatchObject({ contextWindow: 4_096 });
  });

  it('is the trained window where llama.cpp hides its properties', async () => {
    const models = [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }];
    expect(await ask('llamacpp', 'chat', { models })).toEqual({ contextWindow: 40_960 });
  });

  it('is the length vLLM was started with', async () => {
    expect(await ask('vllm', 'chat', { models: [{ id: 'm', max_model_len: 32_000 }] })).toEqual({
      contextWindow: 32_000,
    });
  });

  it('Q30 is the window LM Studio loaded it with', async () => {
    const data = [
      { id: 'm', type: 'vlm', max_context_length: 131_072, loaded_context_length: 8_192, capabilities: ['tool_use'] },
    ];
    expect(await ask('lmstudio', 'chat', { sides: { '/api/v0/models': { data } } })).toEqual({
      contextWindow: 8_192,
      tools: true,
      images: true,
    });
  });

  it('is the list of an LM Studio without its own paths', async () => {
    expect(await ask('lmstudio', 'chat', { models: [{ id: 'm' }] })).toEqual({});
  });

  it('has prices with the cache at OpenRouter', async () => {
    const models = [
      {
        id: 'm',
        context_length: 200_000,
        top_provider: { max_completion_tokens: 64_000 },
        pricing: {
          prompt: '0.000003',
          completion: '0.000015',
          input_cache_read: '0.0000003',
          input_cache_write: '0.00000375',
        },
        supported_parameters: ['tools', 'reasoning'],
        architecture: { input_modalities: ['text', 'image', 'file'] },
      },
    ];
    expect(await ask('openrouter', 'chat', { models })).toEqual({
      contextWindow: 200_000,
      maxOutput: 64_000,
      tools: true,
      images: true,
      documents: true,
      thinking: 'effort',
      price: { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
    });
  });

  it.each([
    ['adaptive', { adaptive: true, enabled: true, disabled: true }],
    ['adaptive', { adaptive: true, enabled: false, disabled: true }],
    ['budget', { adaptive: false, enabled: true, disabled: true }],
    ['always', { adaptive: true, enabled: false, disabled: false }],
  ])('says at Anthropic that a model thinks by %s', async (thinking, types) => {
    const supports = Object.fromEntries(Object.entries(types).map(([name, supported]) => [name, { supported }]));
    const capabilities = { thinking: { supported: true, types: supports }, image_input: { supported: true } };
    const models = [{ id: 'm', max_input_tokens: 1_000_000, max_tokens: 128_000, capabilities }];
    expect(await ask('anthropic', 'anthropic', { models })).toEqual({
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      images: true,
      thinking,
    });
  });

  it('is nothing of a model it does not list', async () => {
    expect(await ask('vllm', 'chat', { models: [{ id: 'other', max_model_len: 1_000 }] })).toEqual({});
  });
});

describe('a provider that is asked before the first request', () => {
  it('sends the window it chose, and no tools to a model without them', async () => {
    const options = ollama({ capabilities: ['completion'], model_info: trained(262_144) });
    await using opened = await openAt('ollama', [say('hello'), say('again')], options);
    await opened.provider.describe('m');
    expect(opened.provider.models.factsOf('m')).toMatchObject({ contextWindow: 32_768, tools: false });
    const first = await sendTo(opened, [user('hi')], WITH_TOOL);
    const second = await sendTo(opened, [user('hi')], WITH_TOOL);
    const notices = [first, second].map(({ frames }) => frames.flatMap((frame) => frame.notices ?? []));
    expect(notices).toEqual([[expect.stringContaining('m calls no tools')], []]);
    const chats = opened.model.requests.filter(({ path }) => path.endsWith('/api/chat'));
    expect(chats.map(({ body }) => body)).toEqual(
      chats.map(() => expect.objectContaining({ options: { num_ctx: 32_768 } })),
    );
    expect(chats.filter(({ body }) => 'tools' in (body as object))).toEqual([]);
    opened.model.assertDone();
  });

  it('asks each model once', async () => {
    await using opened = await openAt('ollama', [], ollama({ model_info: trained(262_144) }));
    await Promise.all([opened.provider.describe('m'), opened.provider.describe('m')]);
    expect(opened.model.requests.map(({ path }) => path).sort()).toEqual(['/api/ps', '/api/show']);
  });

  it('prefers the window of the settings, and does not ask then which one is loaded', async () => {
    const models = { m: { contextWindow: 16_384 } };
    const shown = ollama({ capabilities: ['completion'], model_info: trained(262_144) });
    await using opened = await openAt('ollama', [], shown, { models });
    await opened.provider.describe('m');
    expect(opened.provider.models.factsOf('m')).toMatchObject({ contextWindow: 16_384, tools: false });
    expect(opened.model.requests.map(({ path }) => path)).toEqual(['/api/show']);
  });

  it('knows nothing of a model that the server does not answer about', async () => {
    const opened = await openAt('ollama', []);
    await opened.model.close();
    await opened.provider.describe('m');
    expect(opened.provider.models.factsOf('m')).toMatchObject({ contextWindow: 32_768, knownFrom: 'nothing' });
  });

  it.each(['anthropic', 'chat', 'responses', 'gemini'] as const)(
    'asks nothing of a gateway that speaks %s',
    async (protocol) => {
      await using opened = await openAt(protocol, []);
      await opened.provider.describe('m');
      expect(opened.model.requests).toEqual([]);
    },
  );
});
