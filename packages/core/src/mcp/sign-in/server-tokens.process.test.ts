/** Stored sign-ins in use, over real HTTP: attaching, renewing, and never sending a token where it does not belong. */

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { mcp, mcpServer } from '@castor/testkit';
import type { McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Keyring } from './keyring.ts';
import { consenting, openHome, toServer } from './sign-in.fixture.ts';

type Running = Awaited<ReturnType<typeof mcpServer>>;

const FRESH = 'fresh-access-token';
const OLD = 'old-access-token';
const REFRESH = 'first-refresh-token';
const CLIENTS = [{ id: 'known' }];
const TOOLS = { tools: [{ name: 'echo' }] };

const serve = (oauth: NonNullable<McpScript['oauth']> = {}, rest: McpScript = {}) =>
  mcpServer({ ...TOOLS, oauth: { clients: CLIENTS, tokens: [FRESH], refreshTokens: [REFRESH], ...oauth }, ...rest });

/** As Gemini CLI writes it. */
function entryOf({ url, origin }: Running, changes: object = {}, token: object = {}) {
  return {
    serverName: 'one',
    token: { accessToken: FRESH, refreshToken: REFRESH, tokenType: 'Bearer', ...token },
    clientId: 'known',
    tokenUrl: `${origin}/token`,
    mcpServerUrl: url,
    updatedAt: 1,
    ...changes,
  };
}
const OVER = { accessToken: OLD, expiresAt: 1_000 };
const refreshes = ({ record }: Running) => record.requests('POST /token');
const sent = ({ record }: Running) => record.requests('POST /mcp').map(({ headers }) => headers['authorization']);

describe('a stored sign-in', () => {
  it('of Gemini CLI is used as it is', async () => {
    await using server = await serve();
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state.status).toBe('ready');
    expect(await run.manager.listSignIns()).toMatchObject([{ name: 'one', status: 'signed-in', isRenewable: true }]);
    expect(refreshes(server)).toEqual([]);
  });

  it('that is due is renewed before the first request, and the new refresh token is kept', async () => {
    await using server = await serve();
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [{ keep: 'me' }, entryOf(server, {}, OVER)]);
    chmodSync(home.file, 0o644);
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state.status).toBe('ready');
    expect(sent(server)).not.toContain(`Bearer ${OLD}`);
    expect(home.mode).toBe(0o600);
    const [other, stored] = home.stored;
    expect(other).toEqual({ keep: 'me' });
    expect(stored!.token.refreshToken).not.toBe(REFRESH);
    expect(stored!.token.expiresAt).toBeGreaterThan(Date.now());
    expect(refreshes(server)).toHaveLength(1);
    server.record.assertLegal();
  });

  it.each(['keep', 'rotate'] as const)('is renewed after a 401, in the middle of a session: %s', async (refresh) => {
    await using server = await serve({ refresh });
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    await using run = await home.connect(toServer({ url: server.url }));
    server.oauth.expireAccessTokens();
    expect((await run.call()).error).toBeUndefined();
    server.oauth.expireAccessTokens();
    expect((await run.call()).error).toBeUndefined();
    expect(home.stored[0]!.token.refreshToken === REFRESH).toBe(refresh === 'keep');
  });

  it('that is refused after it was renewed fails once, with the way to sign in', async () => {
    await using server = await serve({}, { rules: [mcp.on('POST /mcp', [mcp.status(401)])] });
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    await using run = await home.connect(toServer({ httpUrl: server.url }));
    expect(run.state).toMatchObject({
      status: 'failed',
      needsSignIn: true,
      lastError: 'It requires a sign-in (401). To sign in: login one',
    });
    expect(refreshes(server)).toHaveLength(1);
    expect(sent(server)).toHaveLength(2);
  });

  it.each<[string, object, object, McpScript['rules'], RegExp]>([
    [
      'a refused refresh token',
      {},
      { refreshToken: 'revoked-refresh-token' },
      [],
      /^Its sign-in has ended: .*\(invalid_grant: .*\)\. To sign in: login one$/,
    ],
    ['no refresh token', {}, { refreshToken: undefined }, [], /^Its sign-in has expired\. To sign in: login one$/],
    ['no token endpoint', { tokenUrl: undefined }, {}, [], /names no token endpoint\. To sign in/],
    ['an unknown client', { clientId: 'forgotten' }, {}, [], /has ended: .*invalid_client/],
    [
      'a token endpoint that is down',
      {},
      {},
      [mcp.on('POST /token', [mcp.status(503)])],
      /^Its sign-in could not be renewed: .*HTTP 503/,
    ],
    ['a token endpoint over http', { tokenUrl: 'http://evil.example/token' }, {}, [], /over https only/],
  ])('that cannot be renewed stays stored: %s', async (_name, changes, token, rules, message) => {
    await using server = await serve({}, { rules: rules ?? [] });
    await using home = await openHome();
    const entry = entryOf(server, changes, { ...OVER, ...token });
    home.write('mcp-oauth-tokens.json', [entry]);
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state).toMatchObject({ status: 'failed', lastError: expect.stringMatching(message) as string });
    expect(home.stored).toEqual([JSON.parse(JSON.stringify(entry))]);
  });

  it('that cannot be renewed yet is used until it is over', async () => {
    await using server = await serve({}, { rules: [mcp.on('POST /token', [mcp.status(503)])] });
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, {}, { expiresAt: Date.now() + 60_000 })]);
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state.status).toBe('ready');
  });

  it('is renewed once for requests at the same time', async () => {
    await using server = await serve();
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, {}, OVER)]);
    const authorization = await home.signIns.authorizationOf(toServer({ url: server.url }));
    const headers = await Promise.all([1, 2, 3].map(() => authorization!.headers()));
    expect(new Set(headers.map(({ authorization: value }) => value)).size).toBe(1);
    expect(refreshes(server)).toHaveLength(1);
  });

  it('is renewed once by two processes at the same time', async () => {
    await using server = await serve({}, { rules: [mcp.on('POST /token', [mcp.gate('slow'), mcp.pass()])] });
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, {}, OVER)]);
    const renew = () =>
      promisify(execFile)(process.execPath, [
        fileURLToPath(new URL('./renew.fixture.ts', import.meta.url)),
        home.home,
        server.url,
      ]);
    const both = [renew(), renew()];
    await server.record.reached('slow');
    server.release('slow');
    const [first, second] = await Promise.all(both);
    expect(first!.stdout).toBe(`Bearer ${home.stored[0]!.token.accessToken}`);
    expect(second!.stdout).toBe(first!.stdout);
    expect(refreshes(server)).toHaveLength(1);
    expect(readFileSync(home.file, 'utf8')).not.toContain(OLD);
  });

  it('that Gemini CLI renewed at the same time is read again', async () => {
    await using server = await serve(
      {},
      { rules: [mcp.on('POST /token', [mcp.gate('late'), mcp.status(400, { body: '{"error":"invalid_grant"}' })])] },
    );
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, {}, OVER)]);
    const authorization = await home.signIns.authorizationOf(toServer({ url: server.url }));
    const headers = authorization!.headers();
    await server.record.reached('late');
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    server.release('late');
    expect(await headers).toEqual({ authorization: `Bearer ${FRESH}` });
  });
});

describe('a token is not sent', () => {
  it.each<[string, object, 'user' | 'project', (server: Running) => object]>([
    [
      'to another address under the same name',
      { mcpServerUrl: 'https://mcp.example/mcp' },
      'user',
      ({ url }) => ({ url }),
    ],
    ['to a project that only uses the name', { mcpServerUrl: undefined }, 'project', ({ url }) => ({ url })],
    ['beside a header of the entry', {}, 'user', ({ url }) => ({ url, headers: { Authorization: 'Bearer own' } })],
  ])('%s', async (_name, changes, source, toEntry) => {
    await using server = await serve();
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, changes)]);
    const entry = toServer(toEntry(server), source);
    await using run = await home.connect(entry);
    expect(run.state).toMatchObject({ status: 'failed', needsSignIn: true });
    expect(sent(server)).not.toContain(`Bearer ${FRESH}`);
    expect((await home.signIns.stateOf(entry)).status).not.toBe('signed-in');
  });

  it('over plain http to another machine', async () => {
    await using home = await openHome();
    const url = 'http://mcp.example/mcp';
    home.write('mcp-oauth-tokens.json', [{ ...entryOf({ url, origin: '' } as Running) }]);
    expect(await home.signIns.authorizationOf(toServer({ url }))).toBeUndefined();
  });

  it.each([307, 308, 302])('to the host that a server redirects to: %i', async (status) => {
    await using other = await mcpServer({ ...TOOLS, http: { stream: false } });
    const elsewhere = [mcp.on('POST /mcp', [mcp.status(status, { headers: { location: other.url } })])];
    await using server = await serve({}, { rules: elsewhere });
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    await using run = await home.connect(toServer({ httpUrl: server.url, headers: { 'x-key': 'secret' } }));
    expect(run.state.status).toBe(status === 302 ? 'failed' : 'ready');
    const requests = other.record.requests();
    expect(requests.length).toBeGreaterThan(0);
    for (const { headers } of requests) {
      expect(headers['authorization']).toBeUndefined();
      expect(headers['x-key']).toBeUndefined();
    }
  });

  it('to a token endpoint that only the entry names', async () => {
    await using server = await serve();
    await using other = await serve();
    await using home = await openHome();
    home.write('mcp-oauth-tokens.json', [entryOf(server, {}, OVER)]);
    const oauth = { tokenUrl: `${other.origin}/token`, authorizationUrl: `${other.origin}/authorize` };
    await using run = await home.connect(toServer({ url: server.url, oauth }, 'project'));
    expect(run.state.status).toBe('ready');
    expect(other.record.requests()).toEqual([]);
  });
});

describe('a server without a sign-in', () => {
  it('is one sentence with the way to sign in; after it the tools are there', async () => {
    await using server = await serve();
    await using home = await openHome();
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state).toMatchObject({
      status: 'failed',
      needsSignIn: true,
      lastError: 'It requires a sign-in (401). To sign in: login one',
    });
    expect(await run.manager.listSignIns()).toEqual([{ name: 'one', status: 'signed-out', problem: undefined }]);
    expect(await run.manager.signIn('one', consenting())).toMatchObject({ status: 'signed-in' });
    expect(run.state).toMatchObject({ status: 'ready', tools: ['mcp_one_echo'], needsSignIn: false });
    await expect(run.manager.signIn('two', consenting())).rejects.toThrow('The MCP server two does not run here.');
  });

  it('signs out: the tokens are deleted and revoked, and the empty file goes', async () => {
    await using server = await serve();
    await using home = await openHome();
    const entry = toServer({ url: server.url });
    await home.signIns.signIn(entry, consenting());
    expect(await home.signIns.signOut(entry)).toBe(true);
    expect(existsSync(home.file)).toBe(false);
    expect(server.oauth.accessTokens).toEqual(new Set([FRESH]));
    expect(server.oauth.refreshTokens).toEqual(new Set([REFRESH]));
    expect(await home.signIns.signOut(entry)).toBe(false);
  });
});

describe('the keyring', () => {
  function memory(overrides: Partial<Keyring> = {}) {
    const secrets = new Map<string, string>();
    const services: string[] = [];
    const keyring: Keyring = {
      get: async (account) => secrets.get(account),
      set: async (account, secret) => void secrets.set(account, secret),
      delete: async (account) => void secrets.delete(account),
      ...overrides,
    };
    const openKeyring = async (service: string) => {
      services.push(service);
      return keyring;
    };
    return { secrets, services, openKeyring };
  }

  it('keeps a new sign-in, and a renewed one, under the names of Gemini CLI', async () => {
    await using server = await serve();
    const { secrets, services, openKeyring } = memory();
    await using home = await openHome({ openKeyring });
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    const entry = toServer({ url: server.url });
    expect(await home.signIns.signIn(entry, consenting())).toMatchObject({ status: 'signed-in', place: 'keyring' });
    expect(home.stored).toEqual([]);
    expect(new Set(services)).toEqual(new Set(['gemini-cli-oauth']));
    expect(JSON.parse(secrets.get('one')!)).toMatchObject({ serverName: 'one', mcpServerUrl: server.url });
    await using run = await home.connect(entry);
    const before = secrets.get('one');
    server.oauth.expireAccessTokens();
    expect((await run.call()).error).toBeUndefined();
    expect(secrets.get('one')).not.toBe(before);
    expect(await home.signIns.signOut(entry)).toBe(true);
    expect(secrets.size).toBe(0);
    expect((await home.signIns.stateOf(entry)).status).toBe('signed-out');
  });

  it('is not asked while nothing is in it, and never with GEMINI_FORCE_FILE_STORAGE', async () => {
    await using server = await serve();
    const { services, openKeyring } = memory();
    await using home = await openHome({ openKeyring });
    home.write('mcp-oauth-tokens.json', [entryOf(server)]);
    await using run = await home.connect(toServer({ url: server.url }));
    expect([run.state.status, services]).toEqual(['ready', []]);
    await using plain = await openHome({ openKeyring, environment: { GEMINI_FORCE_FILE_STORAGE: 'true' } });
    expect(await plain.signIns.signIn(toServer({ url: server.url }), consenting())).toMatchObject({ place: 'file' });
    expect(services).toEqual([]);
  });

  it('that rejects a secret leaves it to the file; one that is locked is named', async () => {
    await using server = await serve();
    const rejects = () => Promise.reject(new Error('locked'));
    const { openKeyring } = memory({ set: rejects, get: rejects });
    await using home = await openHome({ openKeyring });
    const entry = toServer({ url: server.url });
    expect(await home.signIns.signIn(entry, consenting())).toMatchObject({ place: 'file' });
    await home.signIns.signOut(entry);
    home.write('castor-mcp-sign-ins.json', { keyring: ['one'] });
    expect(await home.signIns.stateOf(entry)).toMatchObject({
      status: 'signed-out',
      problem: 'The keyring of the system did not answer: locked',
    });
  });

  it('of Gemini CLI is read when a variable says that it is in use', async () => {
    await using server = await serve();
    const { secrets, openKeyring } = memory();
    secrets.set('one', JSON.stringify(entryOf(server)));
    await using home = await openHome({ openKeyring, environment: { GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: 'true' } });
    await using run = await home.connect(toServer({ url: server.url }));
    expect(run.state.status).toBe('ready');
    expect(existsSync(home.file)).toBe(false);
  });

  it('is left for the file on request', async () => {
    await using server = await serve();
    const { secrets, openKeyring } = memory();
    await using home = await openHome({ openKeyring });
    const entry = toServer({ url: server.url });
    await home.signIns.signIn(entry, consenting());
    expect(secrets.size).toBe(1);
    expect(await home.signIns.signIn(entry, consenting(), { isPlain: true })).toMatchObject({ place: 'file' });
    expect(secrets.size).toBe(0);
    expect(statSync(home.file).mode & 0o777).toBe(0o600);
  });
});
