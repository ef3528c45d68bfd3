import { describe, expect, it } from 'vitest';
import { createProviderModels } from './provider-catalogue.ts';

const price = (input: number) => ({ input, output: 2 * input });

describe('what is known of a model', () => {
  const setUp = () =>
    createProviderModels({
      fromSettings: { a: { contextWindow: 1_000 } },
      bundled: { a: { contextWindow: 2_000, maxOutput: 200, price: price(1) } },
      familyOf: () => ({ contextWindow: 4_000, family: 'qwen', images: true }),
      isLocal: false,
    });

  it('is taken fact by fact from the settings, the server, the table, the family', () => {
    const models = setUp();
    models.learn('a', { contextWindow: 3_000, tools: false, price: price(5) });
    expect(models.factsOf('a')).toMatchObject({
      contextWindow: 1_000,
      tools: false,
      maxOutput: 200,
      family: 'qwen',
      images: true,
      knownFrom: 'settings',
    });
    expect(models.priceOf('a')).toEqual(price(5));
  });

  it('is nothing new where a server says nothing', () => {
    const models = setUp();
    models.learn('b', {});
    models.learn('b', { contextWindow: undefined });
    expect(models.factsOf('b')).toMatchObject({ contextWindow: 4_000, knownFrom: 'family' });
    expect(models.names()).toEqual(['a']);
    expect(models.priceOf('b')).toBeUndefined();
  });
});
