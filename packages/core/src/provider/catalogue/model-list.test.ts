import { fakeModel } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { UnauthorizedError } from '../../protocol/errors.ts';
import { createEndpoint } from '../wire/endpoint.ts';
import { listModels } from './list-models.ts';
import { readModelList, readProps, readShow } from './model-list.ts';

describe('Q50 readModelList', () => {
  it.each([
    ['OpenAI', { data: [{ id: 'gpt-x', object: 'model' }] }, [{ id: 'gpt-x', known: {} }]],
    [
      'OpenRouter',
      {
        data: [
          {
            id: 'vendor/big',
            context_length: 200_000,
            top_provider: { max_completion_tokens: 64_000 },
            pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
            supported_parameters: ['tools'],
            architecture: { input_modalities: ['text', 'image'] },
          },
        ],
      },
      [
        {
          id: 'vendor/big',
          known: {
            contextWindow: 200_000,
            maxOutput: 64_000,
            tools: true,
            images: true,
            documents: false,
            price: { input: 3, output: 15, cached: 0.3 },
          },
        },
      ],
    ],
    ['vLLM', { data: [{ id: 'q', max_model_len: 32_768 }] }, [{ id: 'q', known: { contextWindow: 32_768 } }]],
    [
      'llama.cpp',
      { data: [{ id: 'q', meta: { n_ctx_train: 40_960 } }] },
      [{ id: 'q', known: { contextWindow: 40_960 }, trainedWindow: 40_960 }],
    ],
    [
      'LM Studio',
      {
        data: [
          {
            id: 'a',
            type: 'vlm',
            max_context_length: 131_072,
            loaded_context_length: 4096,
            capabilities: ['tool_use'],
          },
          { id: 'e', type: 'embeddings', max_context_length: 2048 },
        ],
      },
      [{ id: 'a', known: { contextWindow: 4096, tools: true, images: true }, trainedWindow: 131_072 }],
    ],
    [
      'Anthropic',
      {
        data: [
          {
            id: 'claude-x',
            max_input_tokens: 1_000_000,
            max_tokens: 128_000,
            capabilities: { image_input: { supported: true }, pdf_input: { supported: true } },
          },
        ],
      },
      [{ id: 'claude-x', known: { contextWindow: 1_000_000, maxOutput: 128_000, images: true, documents: true } }],
    ],
    [
      'Mistral',
      { data: [{ id: 'm', max_context_length: 131_072, capabilities: { function_calling: true, vision: false } }] },
      [{ id: 'm', known: { contextWindow: 131_072, tools: true, images: false } }],
    ],
    [
      'Gemini',
      {
        models: [
          {
            name: 'models/gemini-x',
            inputTokenLimit: 1_048_576,
            outputTokenLimit: 65_536,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/embedding-x', supportedGenerationMethods: ['embedContent'] },
        ],
      },
      [{ id: 'gemini-x', known: { contextWindow: 1_048_576, maxOutput: 65_536 } }],
    ],
    ['Together', [{ id: 't', type: 'chat', context_length: 8192 }], [{ id: 't', known: { contextWindow: 8192 } }]],
    ['anything else', { data: [null, 7, {}, { id: '' }] }, []],
    ['no list', 'nonsense', []],
  ])('of %s', (_, body, expected) => expect(readModelList(body)).toEqual(expected));
});

describe('what a local server says of its model', () => {
  it('is what it allots', () => {
    expect(readProps({ default_generation_settings: { n_ctx: 8192 }, modalities: { vision: true } })).toEqual({
      contextWindow: 8192,
      images: true,
    });
    expect(
      readShow({
        parameters: 'temperature 0.7\nnum_ctx 16384',
        model_info: { 'qwen3.context_length': 262_144 },
        capabilities: ['completion', 'tools'],
      }),
    ).toEqual({ allottedWindow: 16_384, trainedWindow: 262_144, tools: true, images: false });
    const levels = { 'general.architecture': 'gptoss', 'gptoss.context_length': 131_072 };
    expect(readShow({ model_info: levels, capabilities: ['thinking'] })).toMatchObject({ thinking: 'effort' });
    expect([readProps(undefined), readShow('x')]).toEqual([{}, {}]);
  });
});

describe('listModels', () => {
  it('asks Ollama for each model', async () => {
    await using model = await fakeModel([], { protocol: 'ollama', models: [{ name: 'qwen3:8b' }] });
    const endpoint = createEndpoint({ baseUrl: model.url });
    expect(await listModels({ id: 'ollama', protocol: 'ollama', endpoint })).toEqual([
      {
        id: 'qwen3:8b',
        known: { contextWindow: 32_768, tools: true, images: false, thinking: 'switch' },
        trainedWindow: 262_144,
      },
    ]);
  });

  it('asks llama.cpp for its window', async () => {
    await using model = await fakeModel([], {
      protocol: 'chat',
      key: null,
      models: [{ id: 'q', meta: { n_ctx_train: 40_960 } }],
      sides: { '/props': { default_generation_settings: { n_ctx: 4096 } } },
    });
    const endpoint = createEndpoint({ baseUrl: `${model.url}/v1` });
    expect(await listModels({ id: 'llamacpp', protocol: 'chat', endpoint })).toEqual([
      { id: 'q', known: { contextWindow: 4096 }, trainedWindow: 40_960 },
    ]);
  });

  it('tells a rejected key from a server that is not there', async () => {
    await using model = await fakeModel([], {
      protocol: 'anthropic',
      key: 'right-key-0123',
      models: [{ id: 'claude-x' }],
    });
    const key = (value: string) => ({ value, header: 'x-api-key' as const });
    const ask = (value: string) =>
      listModels({
        id: 'anthropic',
        protocol: 'anthropic',
        endpoint: createEndpoint({ baseUrl: model.url, key: key(value) }),
      });
    expect(await ask('right-key-0123')).toEqual([{ id: 'claude-x', known: {} }]);
    await expect(ask('wrong-key-0123')).rejects.toThrow(UnauthorizedError);
    await expect(ask('wrong-key-0123')).rejects.not.toThrow('wrong-key-0123');
  });
});
