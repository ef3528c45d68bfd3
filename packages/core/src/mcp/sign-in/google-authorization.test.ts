/** Google credentials for MCP servers, against a scripted token server. */

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createFakeClock, mcpServer } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { NetworkAddress } from '../server-config.ts';
import { openGoogleAuthorization } from './google-authorization.ts';
import { openHome, toServer } from './sign-in.fixture.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const NOW = createFakeClock().now();

interface Asked {
  path: string;
  authorization: string | undefined;
  body: string;
}

/** Google's token endpoint and its service accounts. */
async function googleServer(answers: { idToken?: (count: number) => object; status?: number } = {}) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const path = request.url ?? '';
      asked.push({ path, authorization: request.headers.authorization, body });
      const isAccount = path.includes('serviceAccounts');
      const count = asked.filter((each) => each.path === path).length;
      const answer = isAccount
        ? (answers.idToken?.(count) ?? {})
        : { access_token: `access-${count}`, expires_in: 3_600 };
      response.writeHead(isAccount ? (answers.status ?? 200) : 200).end(JSON.stringify(answer));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() };
}

const claimsOf = (assertion: string) =>
  JSON.parse(Buffer.from(assertion.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
const tokenUntil = (ms: number, id: string) =>
  `h.${Buffer.from(JSON.stringify({ exp: ms / 1_000, id })).toString('base64url')}.s`;
const accountFile = (url: string) => ({
  type: 'service_account',
  client_email: 'me@x.test',
  private_key: KEY,
  token_uri: `${url}/token`,
});

async function open(entry: object, credentials: (url: string) => unknown, answers = {}) {
  const google = await googleServer(answers);
  const home = await openHome();
  home.write('adc.json', credentials(google.url));
  const environment = { GOOGLE_APPLICATION_CREDENTIALS: join(home.home, '.gemini', 'adc.json') };
  const server = toServer(entry);
  const clock = createFakeClock();
  const options = { home: home.home, environment, clock, accountsUrl: google.url };
  return {
    google,
    clock,
    authorization: () => openGoogleAuthorization(server, server.address as NetworkAddress, options),
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await google[Symbol.asyncDispose]();
    },
  };
}

const GOOGLE = {
  url: 'https://a.googleapis.com/mcp',
  authProviderType: 'google_credentials',
  oauth: { scopes: ['s1', 's2'] },
};
const OTHER = {
  url: 'https://mcp.example/mcp',
  authProviderType: 'service_account_impersonation',
  targetAudience: 'aud',
  targetServiceAccount: 'robot@x.test',
};

describe('google_credentials', () => {
  it('sends a token of the default credentials for the scopes of the entry, until it is over', async () => {
    await using run = await open(GOOGLE, accountFile);
    const authorization = await run.authorization();
    expect(await authorization.headers()).toEqual({ authorization: 'Bearer access-1' });
    expect(claimsOf(new URLSearchParams(run.google.asked[0]!.body).get('assertion')!)).toMatchObject({
      scope: 's1 s2',
    });
    expect(await authorization.headers()).toEqual({ authorization: 'Bearer access-1' });
    await run.clock.sleep(3_600_000);
    expect(await authorization.headers()).toEqual({ authorization: 'Bearer access-2' });
    expect(await authorization.renew()).toBe(true);
    expect(await authorization.headers()).toEqual({ authorization: 'Bearer access-3' });
  });

  it.each<[string, object, object]>([
    ['of the credentials', {}, { 'x-goog-user-project': 'quota' }],
    ['not where the entry names one', { headers: { 'X-GOOG-User-Project': 'own' } }, {}],
  ])('sends the quota project %s', async (_name, more, expected) => {
    const user = {
      type: 'authorized_user',
      client_id: 'c',
      client_secret: 'secret-of-client',
      refresh_token: 'refresh-of-user',
      quota_project_id: 'quota',
    };
    await using run = await open({ ...GOOGLE, ...more }, () => user);
    const authorization = (await run.authorization()) as unknown as { fixed: object };
    expect(authorization.fixed).toEqual(expected);
  });

  it.each<[string, object, RegExp]>([
    [
      'another host',
      { ...GOOGLE, url: 'https://evil-googleapis.com/mcp' },
      /needs a url at googleapis\.com or luci\.app/,
    ],
    ['plain http', { ...GOOGLE, url: 'http://a.googleapis.com/mcp' }, /needs a url with https/],
    ['no scopes', { ...GOOGLE, oauth: {} }, /needs oauth\.scopes/],
    ['no audience', { ...OTHER, targetAudience: undefined }, /needs targetAudience/],
    ['no account', { ...OTHER, targetServiceAccount: undefined }, /needs targetServiceAccount/],
  ])('is refused: %s', async (_name, entry, message) => {
    await using run = await open(entry, accountFile);
    await expect(run.authorization()).rejects.toThrow(message);
    expect(run.google.asked).toEqual([]);
  });

  it('names missing and unreadable credentials, and connects to nothing', async () => {
    await using server = await mcpServer({});
    await using home = await openHome();
    const entry = { ...OTHER, url: server.url };
    await using run = await home.connect(toServer(entry));
    expect(run.state).toMatchObject({
      status: 'failed',
      lastError: 'There are no Google credentials. Run: gcloud auth application-default login',
    });
    expect(server.record.requests()).toEqual([]);
    await using broken = await open(OTHER, () => 'x');
    await expect(broken.authorization()).rejects.toThrow(/is not a JSON object with Google credentials/);
  });
});

describe('service_account_impersonation', () => {
  it('sends an ID token of the other account, until five minutes before its end', async () => {
    const idToken = (count: number) => ({ token: tokenUntil(NOW + count * 3_600_000, String(count)) });
    await using run = await open(OTHER, accountFile, { idToken });
    const authorization = await run.authorization();
    const first = await authorization.headers();
    expect(first).toEqual({ authorization: `Bearer ${idToken(1).token}` });
    expect(run.google.asked[1]).toEqual({
      path: '/v1/projects/-/serviceAccounts/robot%40x.test:generateIdToken',
      authorization: 'Bearer access-1',
      body: '{"audience":"aud","includeEmail":true}',
    });
    expect(await authorization.headers()).toEqual(first);
    await run.clock.sleep(3_400_000);
    expect(await authorization.headers()).not.toEqual(first);
  });

  it('says why Google issues none', async () => {
    const idToken = () => ({ error: { code: 403, message: 'Permission iam.serviceAccounts.getOpenIdToken denied.' } });
    await using run = await open(OTHER, accountFile, { idToken, status: 403 });
    const authorization = await run.authorization();
    await expect(authorization.headers()).rejects.toThrow(
      /issued no token of robot@x\.test \(Permission iam\..* denied\.?\)/,
    );
  });
});
