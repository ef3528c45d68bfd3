import { describe, expect, it } from 'vitest';
import { configureProvider } from './configure-provider.ts';
import type { ProviderSources } from './configure-provider.ts';

// The settings of Castor itself are not read.
const sources = (providers: Record<string, object>) =>
  ({ settings: { providers, castor: {} }, environment: {} }) as unknown as ProviderSources;

describe('configureProvider', () => {
  it('finds an id that is written in any case', () => {
    const own = sources({ Work: { baseUrl: 'https://llm.example' } });
    for (const id of ['work', 'Work']) {
      expect(configureProvider(id, own)).toMatchObject({ id: 'work', baseUrl: 'https://llm.example/v1' });
    }
  });

  it.each(['models', 'tunedModels', 'google', 'a/b'])('rejects the id %s, which no model could name', (id) => {
    expect(() => configureProvider(id, sources({ [id]: { baseUrl: 'https://llm.example' } }))).toThrow(
      /has no effect: .* is a name of the Gemini API/,
    );
  });
});
