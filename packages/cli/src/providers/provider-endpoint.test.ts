import { describe, expect, it } from 'vitest';
import { configureProvider } from './configure-provider.ts';
import type { ProviderSources } from './configure-provider.ts';
import { createProviderEndpoint } from './provider-endpoint.ts';

const environment = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
const sources = { settings: { providers: {}, castor: {} }, environment } as unknown as ProviderSources;

describe('a key that no header can hold', () => {
  it.each([
    ['a line break', 'first-part\nsecond-part'],
    ['a letter outside of ASCII', 'sk-kl\u00fcger-0123456789'],
  ])('is told by its variable when it has %s, without its value', async (_, value) => {
    const key = { value, header: 'x-api-key', source: 'ANTHROPIC_API_KEY' } as const;
    const provider = configureProvider('anthropic', sources);
    const refused = await createProviderEndpoint(provider, key, { home: '/none', environment }).catch(String);
    expect(refused).toContain('the key of Anthropic in ANTHROPIC_API_KEY is invalid');
    expect(refused).not.toMatch(/ANTHROPIC_BASE_URL|second-part|sk-kl/);
  });
});
