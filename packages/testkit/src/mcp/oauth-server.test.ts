import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { on, status } from './actions.ts';
import { RawHttpClient } from './http-client.fixture.ts';
import { mcpServer } from './http-server.ts';
import type { McpServer } from './http-server.ts';
import type { McpOAuth } from './script.ts';
import { INITIALIZE } from './stdio-client.fixture.ts';

const REDIRECT = 'http://127.0.0.1:1/callback';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

type Json = Record<string, unknown>;

async function getJson(url: string): Promise<Json> {
  const response = await fetch(url);
  expect(response.status, url).toBe(200);
  return (await response.json()) as Json;
}

async function register(server: McpServer): Promise<Json> {
  const body = JSON.stringify({ client_name: 'test', redirect_uris: [REDIRECT] });
  return (await (await fetch(`${server.oauth.issuer}/register`, { method: 'POST', body })).json()) as Json;
}

/** Where the authorization endpoint sends the browser. */
async function authorize(server: McpServer, changes: Record<string, string> = {}): Promise<URLSearchParams> {
  const query = new URLSearchParams({
    client_id: 'client-1',
    response_type: 'code',
    redirect_uri: REDIRECT,
    state: 's',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: server.url,
    ...changes,
  });
  const response = await fetch(`${server.oauth.issuer}/authorize?${query}`, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location')!).searchParams;
}

async function token(server: McpServer, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ client_id: 'client-1', resource: server.url, ...fields });
  const response = await fetch(`${server.oauth.issuer}/token`, { method: 'POST', body, headers });
  return { status: response.status, ...((await response.json()) as Json) } as { status: number } & Record<
    string,
    string
  >;
}

const exchange = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
});

async function signIn(server: McpServer) {
  await register(server);
  return token(server, exchange((await authorize(server)).get('code')!));
}

const serve = (oauth: McpOAuth) => mcpServer({ tools: [{ name: 'echo' }], oauth });

test('from the 401 through metadata, registration, PKCE and token to a session', async () => {
  await using server = await serve({});
  const client = new RawHttpClient(server);
  const rejected = await client.request('initialize', INITIALIZE);
  expect(rejected.status).toBe(401);
  const [, metadataUrl] = /^Bearer resource_metadata="(.+)"$/.exec(rejected.headers.get('www-authenticate')!)!;
  const resource = await getJson(metadataUrl!);
  expect(resource).toMatchObject({ resource: server.url, authorization_servers: [server.oauth.issuer] });
  const metadata = await getJson(`${server.origin}/.well-known/oauth-authorization-server`);
  expect(metadata).toMatchObject({
    issuer: server.origin,
    token_endpoint: `${server.origin}/token`,
    code_challenge_methods_supported: ['S256'],
  });
  const answered = await authorize(server, { client_id: String((await register(server))['client_id']) });
  expect(answered.get('state')).toBe('s');
  const tokens = await token(server, exchange(answered.get('code')!));
  expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3600, scope: 'read write' });
  client.headers = { authorization: `Bearer ${tokens['access_token']}` };
  expect((await client.open()).status).toBe(200);
  expect(server.oauth.registrations).toMatchObject([{ client_name: 'test' }]);
  server.record.assertLegal();
});

test('an expired token is refreshed, and refresh tokens rotate', async () => {
  await using server = await serve({});
  const first = await signIn(server);
  server.oauth.expireAccessTokens();
  const client = new RawHttpClient(server);
  client.headers = { authorization: `Bearer ${first['access_token']}` };
  const rejected = await client.request('initialize', INITIALIZE);
  expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"');
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token']! };
  const second = await token(server, refresh);
  expect(second['refresh_token']).not.toBe(first['refresh_token']);
  expect(await token(server, refresh)).toMatchObject({ status: 400, error: 'invalid_grant' });
  client.headers = { authorization: `Bearer ${second['access_token']}` };
  expect((await client.open()).status).toBe(200);
});

test.each<[McpOAuth['refresh'], boolean]>([
  ['keep', true],
  ['none', false],
])('refresh: %s', async (refresh, isFirstIssued) => {
  await using server = await serve({ refresh: refresh! });
  const first = await signIn(server);
  expect('refresh_token' in first).toBe(isFirstIssued);
  if (!isFirstIssued) return;
  const again = await token(server, { grant_type: 'refresh_token', refresh_token: first['refresh_token']! });
  expect(again.status).toBe(200);
  expect(again).not.toHaveProperty('refresh_token');
});

test.each<[string, Record<string, string>, object]>([
  ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, { status: 400, error: 'invalid_grant' }],
  ['another redirect', { redirect_uri: 'http://127.0.0.1:2/' }, { status: 400, error: 'invalid_grant' }],
  ['an unknown code', { code: 'x' }, { status: 400, error: 'invalid_grant' }],
  ['an unknown client', { client_id: 'x' }, { status: 401, error: 'invalid_client' }],
  ['an unknown grant', { grant_type: 'password' }, { status: 400, error: 'unsupported_grant_type' }],
])('%s is rejected', async (_name, changes, expected) => {
  await using server = await serve({});
  await register(server);
  const code = (await authorize(server)).get('code')!;
  expect(await token(server, { ...exchange(code), ...changes })).toMatchObject(expected);
});

test('a code works once', async () => {
  await using server = await serve({});
  await register(server);
  const code = (await authorize(server)).get('code')!;
  expect((await token(server, exchange(code))).status).toBe(200);
  expect(await token(server, exchange(code))).toMatchObject({ error: 'invalid_grant' });
});

test.each<[McpOAuth['consent'], Record<string, string | null>]>([
  ['deny', { error: 'access_denied', state: 's', code: null }],
  ['wrong_state', { state: 'forged' }],
  ['no_code', { state: 's', code: null }],
])('consent: %s', async (consent, expected) => {
  await using server = await serve({ consent: consent! });
  await register(server);
  const answered = await authorize(server);
  for (const [name, value] of Object.entries(expected)) expect(answered.get(name)).toBe(value);
});

test('a request without PKCE is rejected and noted', async () => {
  await using server = await serve({});
  await register(server);
  expect((await authorize(server, { code_challenge_method: 'plain' })).get('error')).toBe('invalid_request');
  expect(server.record.violations).toEqual(['an authorization request has no PKCE challenge with S256']);
});

test('an unregistered redirect or client is not redirected', async () => {
  await using server = await serve({});
  await register(server);
  for (const query of [
    `client_id=client-1&redirect_uri=http://evil.invalid/`,
    `client_id=x&redirect_uri=${REDIRECT}`,
  ]) {
    const response = await fetch(`${server.oauth.issuer}/authorize?${query}`, { redirect: 'manual' });
    expect(response.status).toBe(400);
  }
});

test('a client with a secret authenticates by body or by header', async () => {
  await using server = await serve({ clients: [{ id: 'known', secret: 'shh' }] });
  const code = async () => (await authorize(server, { client_id: 'known' })).get('code')!;
  const fields = { client_id: 'known' };
  expect(await token(server, { ...exchange(await code()), ...fields })).toMatchObject({
    status: 401,
    error: 'invalid_client',
  });
  expect(await token(server, { ...exchange(await code()), ...fields, client_secret: 'shh' })).toMatchObject({
    status: 200,
  });
  const basic = `Basic ${Buffer.from('known:shh').toString('base64')}`;
  expect(await token(server, exchange(await code()), { authorization: basic })).toMatchObject({ status: 200 });
});

test('an issuer with a path, on a port of its own, with the metadata of OpenID', async () => {
  await using server = await serve({
    issuerPath: '/tenant',
    isSeparate: true,
    metadata: 'openid',
    metadataFields: { scopes_supported: null },
  });
  const { issuer } = server.oauth;
  expect(issuer.startsWith(server.origin)).toBe(false);
  const origin = new URL(issuer).origin;
  for (const path of ['/.well-known/openid-configuration/tenant', '/tenant/.well-known/openid-configuration']) {
    const metadata = await getJson(origin + path);
    expect(metadata['issuer']).toBe(issuer);
    expect(metadata).not.toHaveProperty('scopes_supported');
  }
  expect((await fetch(`${origin}/.well-known/oauth-authorization-server/tenant`)).status).toBe(404);
  expect((await fetch(`${origin}/mcp`)).status).toBe(404);
  expect((await fetch(`${server.origin}/tenant/authorize`)).status).toBe(404);
  expect((await signIn(server)).status).toBe(200);
});

test('metadata is missing, lies, or stands at the well-known path only', async () => {
  await using none = await serve({ resourceMetadata: 'none', metadata: 'none' });
  expect((await fetch(none.url)).headers.get('www-authenticate')).toBe('Bearer');
  expect((await fetch(`${none.origin}/.well-known/oauth-protected-resource`)).status).toBe(404);
  expect((await fetch(`${none.origin}/.well-known/oauth-authorization-server`)).status).toBe(404);
  await using lying = await serve({ resource: 'https://other.invalid/', resourceMetadata: 'well-known' });
  expect((await fetch(lying.url)).headers.get('www-authenticate')).toBe('Bearer');
  expect(await getJson(`${lying.origin}/.well-known/oauth-protected-resource/mcp`)).toMatchObject({
    resource: 'https://other.invalid/',
  });
});

test('tokens of the script work at once, and revocation ends one', async () => {
  await using server = await serve({ tokens: ['kept'] });
  const client = new RawHttpClient(server);
  client.headers = { authorization: 'Bearer kept' };
  expect((await client.open()).status).toBe(200);
  await fetch(`${server.oauth.issuer}/revoke`, { method: 'POST', body: new URLSearchParams({ token: 'kept' }) });
  expect((await client.request('ping')).status).toBe(401);
});

test('a rule plays any other error of an endpoint, and registration can be absent', async () => {
  const rules = [on('POST /token', [status(503)], { nth: 1 })];
  await using server = await mcpServer({ oauth: { registration: false, clients: [{ id: 'client-1' }] }, rules });
  expect(await register(server)).toMatchObject({ error: 'invalid_request' });
  const code = (await authorize(server)).get('code')!;
  const attempt = () =>
    fetch(`${server.oauth.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'client-1', ...exchange(code) }),
    });
  expect((await attempt()).status).toBe(503);
  expect((await attempt()).status).toBe(200);
  expect(server.record.violations).toEqual(['a token request has no resource']);
});
