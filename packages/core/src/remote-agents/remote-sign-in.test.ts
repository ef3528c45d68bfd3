/** Sign-ins of remote agents: OAuth over a scripted authorization server, and tokens of Google for services of Google. */

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, mcpServer } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { consenting } from '../mcp/sign-in/sign-in.fixture.ts';
import type { StoredSignIn } from '../mcp/sign-in/stored-sign-in.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import { systemClock } from '../util/clock.ts';
import { partListUnionToString } from '../util/part-list.ts';
import { startA2aServer } from './a2a-server.fixture.ts';
import { openAuthorization } from './authorize.ts';
import { RemoteAgents } from './remote-agents.ts';
import { runRemote } from './run-remote.ts';

const signal = new AbortController().signal;
const runCommand = () => Promise.reject(new Error('no command was expected'));

async function run(remotes: RemoteAgents, agent: RemoteAgent): Promise<string> {
  const running = runRemote(remotes, agent, 'hello', { signal });
  for (;;) {
    const { done, value } = await running.next();
    if (done) return typeof value === 'string' ? value : partListUnionToString(value.llmContent);
  }
}

describe('a remote agent with OAuth', () => {
  it.each([
    ['the addresses of its file', 'file'],
    ['the addresses of its card', 'card'],
  ])('is signed in to in a browser, with %s, and asked with the token from then on', async (_what, place) => {
    await using workspace = await createWorkspace();
    await using issuer = await mcpServer({ tools: [], oauth: { clients: [{ id: 'known' }] } });
    const { origin } = new URL(issuer.url);
    const tokens: string[] = [];
    const isKnown = ({ authorization = '' }: Record<string, unknown>) => tokens.includes(String(authorization));
    await using server = await startA2aServer({ admits: isKnown });
    const addresses = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token` };
    const flows = {
      authorizationCode: { authorizationUrl: addresses.authorization_url, tokenUrl: addresses.token_url },
    };
    const cardJson = JSON.stringify({
      url: `${server.url}/rpc`,
      protocolVersion: '1.0',
      capabilities: { streaming: true },
      ...(place === 'card' && { securitySchemes: { o: { oauth2SecurityScheme: { flows } } } }),
    });
    const auth = { type: 'oauth', client_id: 'known', ...(place === 'file' && addresses) };
    const agent: RemoteAgent = { kind: 'remote', name: 'weather', description: '', source: 'user', cardJson, auth };
    const options = { home: workspace.home, environment: {}, clock: systemClock, runCommand };
    expect(await run(new RemoteAgents(options), agent)).toContain('needs a sign-in');
    await new RemoteAgents(options).signIn(agent, consenting());
    const file = join(workspace.home, '.gemini', 'a2a-oauth-tokens.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(join(workspace.home, '.gemini', 'mcp-oauth-tokens.json'))).toBe(false);
    const [stored] = JSON.parse(readFileSync(file, 'utf8')) as StoredSignIn[];
    tokens.push(`Bearer ${stored!.token.accessToken}`);
    expect(await run(new RemoteAgents(options), agent)).toContain('You said: hello');
  });

  it.each([
    [{ type: 'oauth' }, 'needs auth.client_id in its file'],
    [{ type: 'oauth', client_id: 'x' }, 'needs auth.authorization_url and auth.token_url'],
    [{ type: 'apiKey', key: 'x' }, 'its file has no auth key of the type oauth'],
  ])('cannot be signed in to with %j', async (auth, problem) => {
    const cardJson = JSON.stringify({ url: 'https://agents.example/rpc' });
    const agent: RemoteAgent = { kind: 'remote', name: 'weather', description: '', source: 'user', cardJson, auth };
    const remotes = new RemoteAgents({ home: '/nowhere', environment: {}, clock: systemClock, runCommand });
    await expect(remotes.signIn(agent, consenting())).rejects.toThrow(problem);
  });

  it('cannot be signed in to over plain http, and the sentence is about an agent', async () => {
    const cardJson = JSON.stringify({ url: 'http://agents.example/rpc' });
    const places = { authorization_url: 'https://agents.example/a', token_url: 'https://agents.example/t' };
    const auth = { type: 'oauth', client_id: 'x', ...places };
    const agent: RemoteAgent = { kind: 'remote', name: 'weather', description: '', source: 'user', cardJson, auth };
    const remotes = new RemoteAgents({ home: '/nowhere', environment: {}, clock: systemClock, runCommand });
    await expect(remotes.signIn(agent, consenting())).rejects.toThrow('The agent weather is reached over plain http.');
  });
});

describe('a remote agent at Google', () => {
  it.each([
    ['https://agents.googleapis.com/a2a', 'Bearer of-access', { scope: 'one two' }],
    ['https://weather-1.run.app/rpc', 'Bearer of-id', { target_audience: 'https://weather-1.run.app' }],
  ])('is asked with a token for %s', async (address, header, claims) => {
    const asked: string[] = [];
    const google = createServer((request, response) => {
      void (async () => {
        for await (const chunk of request) asked.push(String(chunk));
        response.end(JSON.stringify({ access_token: 'of-access', id_token: 'of-id', expires_in: 3_600 }));
      })();
    });
    google.listen(0, '127.0.0.1');
    await once(google, 'listening');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    await using workspace = await createWorkspace({
      files: {
        'account.json': JSON.stringify({
          type: 'service_account',
          client_email: 'me@x.test',
          private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
          token_uri: `http://127.0.0.1:${(google.address() as AddressInfo).port}/token`,
        }),
      },
    });
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: join(workspace.project, 'account.json') };
    const auth = { type: 'google-credentials', scopes: ['one', 'two'] } as const;
    const agent: RemoteAgent = { kind: 'remote', name: 'g', description: '', source: 'user', auth };
    const opened = await openAuthorization(
      agent,
      { auth, card: undefined, url: new URL(address) },
      { home: workspace.home, environment, clock: systemClock, runCommand },
    );
    expect(await opened.headers()).toEqual({ authorization: header });
    const assertion = new URLSearchParams(asked.join('')).get('assertion') ?? '';
    expect(JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())).toMatchObject(claims);
    google.close();
  });
});
