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

describe('a request without a key', () => {
  it("says that a project's file holds the key, where it is rejected", async () => {
    const own = { work: { protocol: 'anthropic', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'WORK_KEY' } };
    const settings = { providers: own, castor: {} };
    const provider = configureProvider('work', { settings, environment: {} } as unknown as ProviderSources);
    const envFile = {
      owner: 'project',
      path: '/work/.env',
      variables: { WORK_KEY: 'k' },
      skipped: [],
      warnings: [],
    } as const;
    const places = { home: '/none', environment: {} };
    const { withoutKey } = await createProviderEndpoint(provider, undefined, { ...places, envFile });
    expect(withoutKey).toBe(
      'No key was sent: WORK_KEY is not set, and /work/.env, a file of the project, may not set it; set WORK_KEY, or store a key with: castor login work',
    );
    const other = await createProviderEndpoint(provider, undefined, {
      ...places,
      envFile: { ...envFile, variables: {} },
    });
    expect(other.withoutKey).toContain('WORK_KEY is not set; set');
  });
});
