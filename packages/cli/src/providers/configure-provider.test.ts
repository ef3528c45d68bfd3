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

  it.each<[string, string]>([
    ['127.0.0.1:48711/v1', 'such as http://127.0.0.1:48711/v1'],
    ['localhost:8080', 'such as http://localhost:8080'],
    ['llm.example/v1', 'such as http://llm.example/v1'],
    ['user:secret@llm.example', 'such as http://llm.example'],
    ['nonsense', 'http:// or https://.'],
    ['ftp://llm.example', 'http:// or https://.'],
  ])('rejects the address %s before it looks for a key', (baseUrl, words) => {
    const refused = expect.objectContaining({
      exitCode: 52,
      message: expect.stringContaining(words) as string,
    }) as Error;
    expect(() => configureProvider('w', sources({ w: { baseUrl } }))).toThrow(refused);
    expect(() => configureProvider('w', sources({ w: { baseUrl } }))).toThrow(/from providers\.w\.baseUrl(?!.*secret)/);
  });

  it.each(['openai', 'claude'])('rejects the protocol %s with the known names', (protocol) => {
    expect(() => configureProvider('w', sources({ w: { baseUrl: 'https://llm.example', protocol } }))).toThrow(
      /providers\.w\.protocol is unknown: ".*Known: chat, responses, anthropic, ollama/,
    );
  });

  it('rejects settings of the Gemini API, which has variables of its own', () => {
    const refused = /providers\.gemini has no effect.*GEMINI_API_KEY and GOOGLE_GEMINI_BASE_URL/;
    for (const id of ['gemini', 'Gemini'])
      expect(() => configureProvider('gemini', sources({ [id]: {} }))).toThrow(refused);
  });

  it.each<[string, string | undefined, boolean]>([
    ['openai', undefined, false],
    ['openai', 'https://eu.api.openai.com/v1', false],
    ['openai', 'https://llm.example/v1', true],
    ['openai', 'https://api.openai.com.llm.example/v1', true],
    ['anthropic', 'https://llm.example', true],
    ['work', 'https://llm.example', false],
  ])('takes %s at %s for foreign: %s', (id, baseUrl, isForeign) => {
    const own = sources(baseUrl === undefined ? {} : { [id]: { baseUrl } });
    expect(configureProvider(id, own)).toMatchObject({ isForeign });
  });

  it("reads both forms of Azure's addresses in the settings", () => {
    const azure = (baseUrl: string) => configureProvider('azure', sources({ azure: { baseUrl } }));
    const host = 'https://r.openai.azure.com';
    expect(azure(host)).toMatchObject({ protocol: 'responses', baseUrl: `${host}/openai/v1` });
    expect(azure(`${host}/openai/deployments/d/chat/completions?api-version=2024-10-21`)).toMatchObject({
      protocol: 'chat',
      baseUrl: `${host}/openai`,
      defaultModel: 'd',
      quirks: { deploymentVersion: '2024-10-21' },
    });
  });
});
