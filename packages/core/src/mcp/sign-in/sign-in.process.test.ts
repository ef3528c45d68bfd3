/** Signing in to the scripted MCP server over real HTTP: what works, and every fault on the way. */

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mcp, mcpServer } from '@castor/testkit';
import type { McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../util/clock.ts';
import { AuthorizationRequest } from './authorization-request.ts';
import { consenting, openHome, toServer } from './sign-in.fixture.ts';

type Running = Awaited<ReturnType<typeof mcpServer>>;
type OAuth = NonNullable<McpScript['oauth']>;

const TOOLS = { tools: [{ name: 'echo' }] };
const serve = (oauth: OAuth, rest: McpScript = {}) => mcpServer({ ...TOOLS, oauth, ...rest });

describe('a sign-in', () => {
  it.each<[string, OAuth, (server: Running) => object, string[]?]>([
    ['metadata named by the 401', {}, ({ url }) => ({ url })],
    ['metadata at the well-known path', { resourceMetadata: 'well-known' }, ({ url }) => ({ httpUrl: url })],
    ['a server that is its own issuer', { resourceMetadata: 'none' }, ({ url }) => ({ url })],
    ['the metadata of OpenID', { metadata: 'openid' }, ({ url }) => ({ url })],
    ['an issuer with a path', { issuerPath: '/tenant' }, ({ url }) => ({ url })],
    [
      'OpenID with a path on another port',
      { issuerPath: '/t', isSeparate: true, metadata: 'openid' },
      ({ url }) => ({ url }),
    ],
    ['a registered client with a secret', { registration: 'secret' }, ({ url }) => ({ url })],
    [
      'a configured client',
      { registration: false, clients: [{ id: 'known' }] },
      ({ url }) => ({ url, oauth: { clientId: 'known' } }),
    ],
    [
      'a configured client with a secret',
      { registration: false, clients: [{ id: 'known', secret: 'shh shh' }] },
      ({ url }) => ({ url, oauth: { clientId: 'known', clientSecret: 'shh shh' } }),
    ],
    [
      'a secret in the header',
      {
        clients: [{ id: 'known', secret: 'a:b c' }],
        metadataFields: { token_endpoint_auth_methods_supported: ['client_secret_basic'] },
      },
      ({ url }) => ({ url, oauth: { clientId: 'known', clientSecret: 'a:b c' } }),
    ],
    [
      'configured addresses without any metadata',
      { metadata: 'none', resourceMetadata: 'none', clients: [{ id: 'known' }] },
      ({ url, origin }) => ({
        url,
        oauth: { clientId: 'known', authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token` },
      }),
    ],
    [
      'a configured issuer',
      { resourceMetadata: 'none', isSeparate: true, issuerPath: '/x' },
      ({ url, oauth }) => ({ url, oauth: { issuer: oauth.issuer } }),
    ],
    [
      'a configured registration endpoint',
      { metadataFields: { registration_endpoint: null } },
      ({ url, origin }) => ({ url, oauth: { registrationUrl: `${origin}/register` } }),
    ],
    ['the older transport', { resourceMetadata: 'well-known' }, ({ sseUrl }) => ({ url: sseUrl, type: 'sse' })],
    ['a token without an end', { expiresIn: null }, ({ url }) => ({ url })],
    ['no refresh token', { refresh: 'none' }, ({ url }) => ({ url })],
    [
      'an issuer that does not state PKCE',
      { metadataFields: { code_challenge_methods_supported: null } },
      ({ url }) => ({ url }),
      ['does not state that it supports PKCE'],
    ],
  ])('works with %s', async (_name, oauth, entryOf, notes = []) => {
    await using server = await serve(oauth);
    await using home = await openHome();
    const entry = toServer(entryOf(server));
    const ports = consenting();
    const state = await home.signIns.signIn(entry, ports);
    expect(state).toMatchObject({ status: 'signed-in', place: 'file', isRenewable: oauth.refresh !== 'none' });
    expect(await ports.page).toContain('You are signed in.');
    expect(ports.notes).toEqual(notes.map((note) => expect.stringContaining(note) as string));
    expect(home.mode).toBe(0o600);
    expect(home.stored).toMatchObject([{ serverName: 'one', token: { tokenType: 'Bearer' } }]);
    await using run = await home.connect(entry);
    expect(run.state.status).toBe('ready');
    expect((await run.call()).error).toBeUndefined();
    server.record.assertLegal();
  });

  it('asks for the scopes of the entry, the audience and the resource', async () => {
    await using server = await serve({});
    await using home = await openHome();
    const ports = consenting();
    await home.signIns.signIn(toServer({ url: server.url, oauth: { scopes: ['read'], audiences: ['a', 'b'] } }), ports);
    const query = Object.fromEntries(ports.urls[0]!.searchParams);
    expect(query).toMatchObject({
      scope: 'read',
      audience: 'a b',
      resource: server.url,
      code_challenge_method: 'S256',
    });
    expect(query['redirect_uri']).toMatch(/^http:\/\/localhost:\d+\/oauth\/callback$/);
    expect(server.oauth.registrations).toMatchObject([{ redirect_uris: [query['redirect_uri']], scope: 'read' }]);
    expect(home.stored[0]).toMatchObject({
      serverName: 'one',
      token: { scope: 'read', expiresAt: expect.any(Number) as number, refreshToken: expect.any(String) as string },
      clientId: 'client-1',
      tokenUrl: `${server.origin}/token`,
      mcpServerUrl: server.url,
    });
  });

  it('asks for what the server wants, and for offline_access where the issuer has it', async () => {
    await using server = await serve({ metadataFields: { scopes_supported: ['read', 'offline_access', 'admin'] } });
    await using home = await openHome();
    const ports = consenting();
    await home.signIns.signIn(toServer({ url: server.url }), ports);
    expect(ports.urls[0]!.searchParams.get('scope')).toBe('read write offline_access');
  });

  it('accepts the address that the user pastes, and asks again for another text', async () => {
    await using server = await serve({});
    await using home = await openHome();
    let url = '';
    const answers = ['hello', 'https://example.com/', ''];
    const ports = consenting({
      visit: (address) => (url = address.url),
      async paste() {
        const next = answers.shift();
        if (next !== '') return next;
        const response = await fetch(url, { redirect: 'manual' });
        return ` ${response.headers.get('location')}\n`;
      },
    });
    expect(await home.signIns.signIn(toServer({ url: server.url }), ports)).toMatchObject({ status: 'signed-in' });
    expect(ports.notes).toHaveLength(2);
  });

  it('uses the port of oauth.redirectUri, of the variable, and the address of a cloud workstation', async () => {
    await using server = await serve({ registration: false, clients: [{ id: 'known' }] });
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const entry = (oauth: object) => toServer({ url: server.url, oauth: { clientId: 'known', ...oauth } });
    await using home = await openHome();
    const ports = consenting();
    const redirectUri = `http://localhost:${port}/back`;
    await home.signIns.signIn(entry({ redirectUri }), ports);
    expect(ports.urls[0]!.searchParams.get('redirect_uri')).toBe(redirectUri);
    await using cloud = await openHome({
      environment: { GOOGLE_CLOUD_WORKSTATIONS: 'true', WEB_HOST: 'me.example', OAUTH_CALLBACK_PORT: String(port) },
    });
    const aborted = new AbortController();
    const visited = consenting({ signal: aborted.signal, visit: ({ redirectUri: uri }) => aborted.abort(uri) });
    await expect(cloud.signIns.signIn(entry({}), visited)).rejects.toMatchObject({ name: 'AbortError' });
    expect(aborted.signal.reason).toBe(`https://${port}-me.example/oauth/callback`);
  });

  it('takes a client id from the user where the issuer registers none', async () => {
    await using server = await serve({ registration: false, clients: [{ id: 'mine' }] });
    await using home = await openHome();
    const asked: string[] = [];
    const askClientId = async (issuer: string) => {
      asked.push(issuer);
      return ' mine ';
    };
    expect(await home.signIns.signIn(toServer({ url: server.url }), consenting({ askClientId }))).toMatchObject({
      status: 'signed-in',
    });
    expect(asked).toEqual([server.oauth.issuer]);
  });
});

describe('a sign-in that fails stores nothing and says why:', () => {
  const evil = 'http://evil.example';
  it.each<[string, OAuth, McpScript['rules'], RegExp]>([
    ['another state', { consent: 'wrong_state' }, [], /belongs to another sign-in/],
    ['the user refuses', { consent: 'deny' }, [], /refused the sign-in \(access_denied: The user said no\.?\)/],
    ['no code', { consent: 'no_code' }, [], /has no code/],
    [
      'no PKCE',
      { metadataFields: { code_challenge_methods_supported: ['plain'] } },
      [],
      /does not support PKCE with S256/,
    ],
    [
      'a refused registration',
      {},
      [mcp.on('POST /register', [mcp.status(403, { body: '{"error":"access_denied"}' })])],
      /refused to register Castor \(access_denied\)\. .*oauth\.clientId/,
    ],
    [
      'no registration',
      { registration: false },
      [],
      /does not register clients itself.*http:\/\/localhost.*oauth\.clientId/,
    ],
    ['metadata of another resource', { resource: 'https://bank.example/mcp' }, [], /metadata of another resource/],
    [
      'metadata of another issuer',
      { metadataFields: { issuer: 'https://bank.example' } },
      [],
      /metadata of another issuer/,
    ],
    [
      'an authorization endpoint over http',
      { metadataFields: { authorization_endpoint: `${evil}/authorize` } },
      [],
      /authorization_endpoint of .* is http:\/\/evil\.example\/authorize\. Castor sends credentials over https only/,
    ],
    ['a token endpoint over http', { metadataFields: { token_endpoint: `${evil}/token` } }, [], /over https only/],
    ['a token endpoint that is no address', { metadataFields: { token_endpoint: 7 } }, [], /not a valid address: 7/],
    ['a registration endpoint over http', { metadataFields: { registration_endpoint: evil } }, [], /over https only/],
    ['no metadata', { metadata: 'none' }, [], /has no OAuth metadata.*oauth\.authorizationUrl and oauth\.tokenUrl/],
    [
      'a token endpoint that redirects',
      {},
      [mcp.on('POST /token', [mcp.status(307, { headers: { location: 'https://evil.example/' } })])],
      /redirects\. Castor sends no credential to another address/,
    ],
    [
      'metadata that redirects to http',
      {},
      [mcp.on('GET /.well-known/oauth-authorization-server', [mcp.status(302, { headers: { location: evil } })])],
      /redirect of .* is http:\/\/evil\.example/,
    ],
    ['a token endpoint that is down', {}, [mcp.on('POST /token', [mcp.status(503)])], /issued no token \(HTTP 503\)/],
    ['a reset connection', {}, [mcp.on('POST /token', [mcp.reset()])], /is not reachable/],
    [
      'a refused code, without what was sent',
      {},
      [
        mcp.on('POST /token', [
          mcp.status(400, { body: '{"error":"invalid_grant","error_description":"\\u001b[31mno"}' }),
        ]),
      ],
      /issued no token \(invalid_grant: no\)/,
    ],
    [
      'an answer that is no JSON',
      {},
      [mcp.on('POST /token', [mcp.status(200, { body: '<html>' })])],
      /issued no token \(HTTP 200\)/,
    ],
    [
      'a token of another type',
      {},
      [mcp.on('POST /token', [mcp.status(200, { body: '{"access_token":"t","token_type":"mac"}' })])],
      /unsupported type mac/,
    ],
    [
      'an endless answer',
      {},
      [mcp.on('POST /token', [mcp.raw('x'.repeat(1000), 400), mcp.drop()])],
      /is longer than 262144 bytes/,
    ],
    [
      'metadata of the server on another machine without https',
      {},
      [
        mcp.on('POST /mcp', [
          mcp.status(401, { headers: { 'www-authenticate': `Bearer resource_metadata=${evil}/x` } }),
        ]),
      ],
      /resource_metadata of the server is http:\/\/evil/,
    ],
  ])('%s', async (_name, oauth, rules, message) => {
    await using server = await serve(oauth, { rules: rules ?? [] });
    await using home = await openHome();
    await expect(home.signIns.signIn(toServer({ url: server.url }), consenting())).rejects.toThrow(message);
    expect(home.stored).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    [
      'plain http to another machine',
      { url: 'http://mcp.example/mcp' },
      /plain http\. Castor signs in over https only/,
    ],
    [
      'an Authorization header',
      { url: 'https://a.example', headers: { authorization: 'Bearer t' } },
      /has an Authorization header/,
    ],
    ['a process', { command: 'x' }, /process on this machine and has no sign-in/],
    ['Google credentials', { url: 'https://a.googleapis.com', authProviderType: 'google_credentials' }, /gcloud auth/],
    ['a wrong type in oauth', { url: 'https://a.example', oauth: { scopes: 'all' } }, /oauth\.scopes must be a list/],
    ['a server that is not there', { url: 'http://127.0.0.1:9/mcp' }, /is not reachable/],
  ])('%s', async (_name, entry, message) => {
    await using home = await openHome();
    await expect(home.signIns.signIn(toServer(entry), consenting())).rejects.toThrow(message);
  });

  it('a port that is taken, and one that is none', async () => {
    await using server = await serve({ clients: [{ id: 'known' }] });
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const oauth = { clientId: 'known', redirectUri: `http://localhost:${port}/oauth/callback` };
    await using home = await openHome();
    await expect(home.signIns.signIn(toServer({ url: server.url, oauth }), consenting())).rejects.toThrow(
      `The port ${port} for the answer of the browser is in use.`,
    );
    taken.close();
    await using other = await openHome({ environment: { OAUTH_CALLBACK_PORT: 'abc' } });
    await expect(other.signIns.signIn(toServer({ url: server.url }), consenting())).rejects.toThrow(
      'OAUTH_CALLBACK_PORT is not a port: "abc".',
    );
  });

  it('an unreadable store, before the user consents', async () => {
    await using server = await serve({});
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', '{"a":');
    const ports = consenting();
    await expect(home.signIns.signIn(toServer({ url: server.url }), ports)).rejects.toThrow(/Repair or delete it/);
    expect(ports.urls).toEqual([]);
  });

  it('a slow token endpoint and a user who does not answer, each after its limit', async () => {
    const gated = [mcp.on('POST /token', [mcp.gate('slow')])];
    await using server = await serve({}, { rules: gated });
    const limits = (limit: number, reached: Promise<unknown>) => ({
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) =>
        ms === limit ? reached.then(() => undefined) : systemClock.sleep(ms, signal),
    });
    await using slow = await openHome({ clock: limits(15_000, server.record.reached('slow')) });
    await expect(slow.signIns.signIn(toServer({ url: server.url }), consenting())).rejects.toThrow(
      /did not answer within 15 s/,
    );
    const visited = Promise.withResolvers<void>();
    await using idle = await openHome({ clock: limits(300_000, visited.promise) });
    const ports = consenting({ visit: () => visited.resolve() });
    await expect(idle.signIns.signIn(toServer({ url: server.url }), ports)).rejects.toThrow(/within 5 minutes/);
  });

  it('the user cancels', async () => {
    await using server = await serve({});
    await using home = await openHome();
    const cancel = new AbortController();
    const ports = consenting({ signal: cancel.signal, visit: () => cancel.abort() });
    await expect(home.signIns.signIn(toServer({ url: server.url }), ports)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('the answer of the browser', () => {
  const ask = (answersNameIssuer: boolean, issuer?: string) =>
    new AuthorizationRequest({
      discovery: {
        issuer,
        authorizationUrl: new URL('https://as.example/authorize'),
        tokenUrl: new URL('https://as.example/token'),
        authMethods: [],
        answersNameIssuer,
        resource: 'https://mcp.example',
        scopes: [],
      },
      clientId: 'c',
      redirectUri: 'http://localhost:1/',
      audiences: [],
    });

  it.each<[string, boolean, string | undefined, string | undefined, RegExp | undefined]>([
    [
      'another issuer',
      false,
      'https://as.example',
      'https://evil.example',
      /is from https:\/\/evil\.example; expected/,
    ],
    ['no issuer, though it is promised', true, 'https://as.example', undefined, /names no issuer/],
    ['no issuer', false, 'https://as.example', undefined, undefined],
    ['the issuer', true, 'https://as.example', 'https://as.example', undefined],
    ['the issuer with a slash', true, 'https://as.example', 'https://as.example/', undefined],
    ['an issuer that is not known', true, undefined, 'https://as.example', undefined],
  ])('%s', (_name, isPromised, issuer, iss, message) => {
    const request = ask(isPromised, issuer);
    const state = request.url.searchParams.get('state')!;
    const answer = new URLSearchParams({ code: 'the-code', state, ...(iss !== undefined && { iss }) });
    if (message) expect(() => request.readCode(answer)).toThrow(message);
    else expect(request.readCode(answer)).toBe('the-code');
  });
});
