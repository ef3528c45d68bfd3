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
