import { createWorkspace } from '@castor/testkit';
import { expect, it } from 'vitest';
import { openConfigured } from './open-configured.ts';
import type { ProviderPlaces } from './provider-places.ts';

it('names the key and what credential headers hold as secrets, and no other header', async () => {
  await using workspace = await createWorkspace();
  const headers = {
    'x-team-token': 'token-of-the-team',
    authorization: 'Bearer gateway-token',
    'x-team': 'platform-team',
  };
  const work = { protocol: 'chat', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'WORK_KEY', headers };
  const places = {
    home: workspace.home,
    environment: { WORK_KEY: 'key-of-work' },
    settings: { castor: {}, model: {}, security: { auth: {} }, providers: { work } },
  } as unknown as ProviderPlaces;
  const { secrets } = await openConfigured('work', places);
  const named = ['key-of-work', 'token-of-the-team', 'Bearer gateway-token', 'gateway-token'];
  expect([...new Set(secrets)].toSorted()).toEqual(named.toSorted());
});

it("claims no price of the vendor's for another server", async () => {
  await using workspace = await createWorkspace();
  const priceAt = async (environment: Record<string, string>) => {
    const places = {
      home: workspace.home,
      environment: { OPENAI_API_KEY: 'key', ...environment },
      settings: { castor: {}, model: {}, security: { auth: {} }, providers: {} },
    } as unknown as ProviderPlaces;
    const { models } = await openConfigured('openai', places);
    expect(models.factsOf('gpt-5.6').contextWindow).toBeGreaterThan(200_000);
    return models.priceOf('gpt-5.6');
  };
  expect(await priceAt({})).toMatchObject({ input: expect.any(Number) as number });
  expect(await priceAt({ OPENAI_BASE_URL: 'https://llm.example/v1' })).toBeUndefined();
});
