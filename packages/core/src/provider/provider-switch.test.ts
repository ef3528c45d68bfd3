import { describe, expect, it } from 'vitest';
import type { GenerateContentParameters, GenerateContentResponse } from '../protocol/content.ts';
import { GEMINI_CATALOGUE } from './catalogue/gemini-catalogue.ts';
import { createProviderModels } from './catalogue/provider-catalogue.ts';
import type { ContentGenerator } from './content-generator.ts';
import type { OpenProvider } from './open-provider.ts';
import { createProviderSwitch } from './provider-switch.ts';
import { createEndpoint } from './wire/endpoint.ts';

/** Answers with the model it was asked for. */
function echo(): ContentGenerator & { asked: string[] } {
  const asked: string[] = [];
  const answer = (model: string): GenerateContentResponse => {
    asked.push(model);
    return { modelVersion: model, candidates: [{ content: { role: 'model', parts: [{ text: model }] } }] };
  };
  return {
    asked,
    generateContent: async ({ model }) => answer(model),
    generateContentStream: async ({ model }) =>
      (async function* () {
        yield answer(model);
      })(),
    countTokens: async ({ model }) => ({ totalTokens: model.length }),
    embedContent: async () => ({ embeddings: [] }),
  };
}

function setUp() {
  const main = echo();
  const far = echo();
  const openings: string[] = [];
  const failing = new Set<string>();
  const open = async (id: string): Promise<OpenProvider> => {
    openings.push(id);
    if (failing.has(id)) throw new Error(`no key for ${id}`);
    const models = createProviderModels({
      bundled: { big: { contextWindow: 500_000, price: { input: 1, output: 2 } } },
      isLocal: false,
      smallModel: 'little',
    });
    const endpoint = createEndpoint({ baseUrl: 'https://far.test' });
    const describe = async (model: string) => models.learn(model, { maxOutput: 4_000 });
    return {
      access: { id, name: id, protocol: 'chat', endpoint },
      generator: { ...far, close() {} },
      models,
      describe,
    };
  };
  return { main, far, openings, failing, it: createProviderSwitch({ main, mainCatalogue: GEMINI_CATALOGUE, open }) };
}

const request = (model: string): GenerateContentParameters => ({ model, contents: [] });

describe('createProviderSwitch', () => {
  it('sends each request to the provider its model names, under the name that provider knows', async () => {
    const { it: generator, main, far, openings } = setUp();
    await generator.generateContent(request('gemini-2.5-pro'), 'p', 'main');
    await generator.generateContent(request('far/vendor/big:x'), 'p', 'main');
    await generator.generateContent(request('models/tuned'), 'p', 'main');
    expect(main.asked).toEqual(['gemini-2.5-pro', 'models/tuned']);
    expect(far.asked).toEqual(['vendor/big:x']);
    expect(openings).toEqual(['far']);
  });

  it('names the provider of the model that answered', async () => {
    const { it: generator } = setUp();
    const frames = [];
    for await (const frame of await generator.generateContentStream(request('far/big'), 'p', 'main'))
      frames.push(frame);
    expect(frames.map(({ modelVersion }) => modelVersion)).toEqual(['far/big']);
    expect(await generator.generateContent(request('gemini-x'), 'p', 'main')).toMatchObject({
      modelVersion: 'gemini-x',
    });
  });

  it('knows the facts and the prices of a provider once it is open, and sends utilities to its small model', async () => {
    const { it: generator } = setUp();
    expect(generator.catalogue.find('far/big')).toBeUndefined();
    await generator.prepare('far/big');
    expect(generator.catalogue.find('far/big')).toMatchObject({ contextWindow: 500_000, utilityModel: 'far/little' });
    expect(generator.catalogue.find('far/unheard-of')).toMatchObject({ contextWindow: 128_000, knownFrom: 'nothing' });
    expect(generator.catalogue.prices['far/big']).toEqual({ input: 1, output: 2 });
    expect(generator.catalogue.find('gemini-2.5-pro')).toEqual(GEMINI_CATALOGUE.find('gemini-2.5-pro'));
  });

  it('knows what the server says of a model before the first request', async () => {
    const { it: generator } = setUp();
    await generator.prepare('far/big');
    expect(generator.catalogue.find('far/big')).toMatchObject({ maxOutput: 4_000, knownFrom: 'server' });
  });

  it('opens a provider again after a failure, and once for requests at the same time', async () => {
    const { it: generator, openings, failing } = setUp();
    failing.add('far');
    await expect(generator.prepare('far/big')).rejects.toThrow('no key for far');
    failing.clear();
    await Promise.all(['far/a', 'far/b'].map((model) => generator.generateContent(request(model), 'p', 'main')));
    expect(openings).toEqual(['far', 'far']);
  });
});
