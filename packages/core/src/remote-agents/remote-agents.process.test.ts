/** Remote agents against the server of the public A2A SDK, in both versions and both bindings. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import { systemClock } from '../util/clock.ts';
import { partListUnionToString } from '../util/part-list.ts';
import { startA2aServer } from './a2a-server.fixture.ts';
import type { A2aServerOptions } from './a2a-server.fixture.ts';
import { readUpdate } from './a2a-update.ts';
import { RemoteAgents } from './remote-agents.ts';
import type { AuthorizeOptions } from './authorize.ts';
import { runRemote } from './run-remote.ts';

const signal = new AbortController().signal;

function open(options: Partial<AuthorizeOptions> = {}): RemoteAgents {
  return new RemoteAgents({
    home: '/nowhere',
    environment: {},
    clock: systemClock,
    runCommand: () => Promise.reject(new Error('no command was expected')),
    ...options,
  });
}

function toAgent(cardUrl: string, more: Partial<RemoteAgent> = {}): RemoteAgent {
  return { kind: 'remote', name: 'weather', description: '', source: 'user', cardUrl, fingerprint: cardUrl, ...more };
}

interface Ran {
  text: string;
  error: string | undefined;
  lines: string[];
}

async function run(remotes: RemoteAgents, agent: RemoteAgent, task: string, within = signal): Promise<Ran> {
  const lines: string[] = [];
  const running = runRemote(remotes, agent, task, { signal: within });
  for (;;) {
    const { done, value } = await running.next();
    if (!done)
      lines.push(
        typeof value === 'string' ? value : `says ${JSON.stringify('value' in value ? value.value : value.type)}`,
      );
    else if (typeof value === 'string') return { text: value, error: undefined, lines };
    else return { text: partListUnionToString(value.llmContent), error: value.error?.message, lines };
  }
}

const FORMS: A2aServerOptions[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
];
const EACH = FORMS.map((form) => [`A2A ${form.version} over ${form.binding}`, form] as const);

describe.each(EACH)('%s', (_name, form) => {
  it.each([
    ['tomorrow?', 'You said: tomorrow?'],
    ['message please', 'Only a message.'],
    ['artifacts please', 'Done.\n\nArtifact (report):\nfirst, second\n\nArtifact (other):\nmore'],
    ['empty please', '(It sent no text.)'],
  ])('streams the answer to "%s"', async (task, expected) => {
    await using server = await startA2aServer(form);
    const { text, error } = await run(open(), toAgent(server.cardUrl), task);
    expect(error).toBeUndefined();
    expect(text).toContain(`Termination Reason: GOAL\nResult:\n`);
    expect(text).toContain(expected);
  });

  it('tells each new status as progress, once', async () => {
    await using server = await startA2aServer(form);
    const { lines } = await run(open(), toAgent(server.cardUrl), 'tomorrow?');
    expect(lines).toEqual([
      `asks Weather at ${new URL(server.url).host}\n`,
      'says "Looking.\\n"',
      'says "You said: tomorrow?\\n"',
    ]);
  });

  it.each([
    ['fail now', 'The task was failed by the agent.', 'Half of it.\n\nThe engine broke.'],
    ['reject now', 'The task was rejected by the agent.', 'Not my business.'],
    ['auth now', '[Authorization Required]', 'Log in at the bank.'],
  ])('tells "%s" as a failure', async (task, problem, partial) => {
    await using server = await startA2aServer(form);
    const { error } = await run(open(), toAgent(server.cardUrl), task);
    expect(error).toMatch(/^Subagent 'weather' failed\./);
    expect(error).toContain(problem);
    expect(error).toContain(partial);
  });

  it('continues a task that waits for an answer, in the same conversation', async () => {
    await using server = await startA2aServer(form);
    const remotes = open();
    const agent = toAgent(server.cardUrl);
    const asked = await run(remotes, agent, 'ask me');
    expect(asked.text).toContain('Which city?\nThe agent waits for an answer: send it with another call.');
    expect((await run(remotes, agent, 'Berlin')).text).toContain('You said: Berlin (continued)');
    expect((await run(remotes, agent, 'Rome')).text).toMatch(/You said: Rome$/);
  });

  it('has files and data on lines of their own, and its pieces of text together', () => {
    const parts = [{ text: 'a' }, { text: 'b' }, { data: { x: 1 } }, { text: 'c' }];
    const update = readUpdate({ kind: 'artifact-update', taskId: 't', artifact: { artifactId: 'r', parts } });
    expect(update).toMatchObject({ artifact: { text: 'ab\nData: {"x":1}\nc' } });
  });

  it.each([true, false])('cancels the task at the server with the call (it streams: %s)', async (streaming) => {
    await using server = await startA2aServer({ ...form, streaming });
    const stop = new AbortController();
    const running = runRemote(open(), toAgent(server.cardUrl), 'hang on', { signal: stop.signal });
    for (;;) {
      const { value } = await running.next();
      if (JSON.stringify(value).includes('Thinking.')) break;
    }
    stop.abort();
    await expect(running.next()).rejects.toThrow(/abort/i);
    expect(server.cancelled).toHaveLength(1);
  });

  it('asks for the task after the stream was cut', async () => {
    await using server = await startA2aServer(form);
    const { text, error, lines } = await run(open({ clock: createFakeClock() }), toAgent(server.cardUrl), 'cut it');
    expect(lines).toContain('lost the connection, asks for the task\n');
    expect(error).toBeUndefined();
    expect(text).toContain('Finished without you.');
  });

  it('works without streaming', async () => {
    await using server = await startA2aServer({ ...form, streaming: false });
    expect((await run(open(), toAgent(server.cardUrl), 'artifacts')).text).toContain(
      'Artifact (report):\nfirst, second',
    );
  });
});

describe('a remote agent', () => {
  it.each([
    ['a key in the usual header', { type: 'apiKey', key: 'secret' }, 'x-api-key', 'secret'],
    [
      'a key in a header of its own',
      { type: 'apiKey', key: '$KEY', name: 'X-Weather' },
      'x-weather',
      'of the environment',
    ],
    ['a key that is written with a dollar sign', { type: 'apiKey', key: '$$KEY' }, 'x-api-key', '$KEY'],
    ['a key that a command prints', { type: 'apiKey', key: '!print key' }, 'x-api-key', 'printed by print key'],
    ['a key that begins with an exclamation mark', { type: 'apiKey', key: '!!key' }, 'x-api-key', '!key'],
    ['a token', { type: 'http', scheme: 'Bearer', token: '${KEY}' }, 'authorization', 'Bearer of the environment'],
    [
      'a name and a password',
      { type: 'http', scheme: 'basic', username: 'me', password: 'pw' },
      'authorization',
      'Basic bWU6cHc=',
    ],
    ['a whole header', { type: 'http', value: 'Digest abc' }, 'authorization', 'Digest abc'],
  ])('is asked with %s', async (_what, auth, header, expected) => {
    await using server = await startA2aServer({ admits: (headers) => headers[header] === expected });
    const remotes = open({
      environment: { KEY: 'of the environment' },
      runCommand: (command) => Promise.resolve(`printed by ${command}`),
    });
    const { text } = await run(remotes, toAgent(server.cardUrl, { auth }), 'hello');
    expect(text).toContain('You said: hello');
    // The card is public.
    expect(server.requests[0]?.headers[header]).toBeUndefined();
  });

  it('whose card is not public gets the credential with the second request', async () => {
    await using server = await startA2aServer({
      guardsCard: true,
      admits: ({ authorization }) => authorization === 'Bearer t',
    });
    const auth = { type: 'http', scheme: 'Bearer', token: 't' };
    expect((await run(open(), toAgent(server.cardUrl, { auth }), 'hello')).text).toContain('You said: hello');
    expect(server.requests.slice(0, 2).map(({ headers }) => headers['authorization'])).toEqual([undefined, 'Bearer t']);
  });

  it('that rejects an old token is asked with a new one, at most three times', async () => {
    const printed: string[] = [];
    const runCommand = () => Promise.resolve(String(printed.push('x')));
    const auth = { type: 'http', scheme: 'Bearer', token: '!token' };
    await using server = await startA2aServer({ admits: ({ authorization }) => authorization === 'Bearer 3' });
    expect((await run(open({ runCommand }), toAgent(server.cardUrl, { auth }), 'hello')).text).toContain('You said');
    expect(printed).toHaveLength(3);
    await using closed = await startA2aServer({ admits: () => false });
    const { error } = await run(open({ runCommand }), toAgent(closed.cardUrl, { auth }), 'hello');
    expect(error).toContain('Authentication failed (401 Unauthorized)');
    expect(closed.requests).toHaveLength(4);
  });

  it.each([
    [
      'a variable that is not set',
      { type: 'apiKey', key: '$MISSING' },
      'The variable MISSING of its auth key is not set.',
    ],
    [
      'a command that fails',
      { type: 'apiKey', key: '!x' },
      'The command of its auth key failed: no command was expected',
    ],
    [
      'Google credentials for another host',
      { type: 'google-credentials' },
      'google-credentials needs an https address',
    ],
    ['no sign-in', { type: 'oauth', client_id: 'me' }, 'The agent weather needs a sign-in. Type this.'],
  ])('with %s is not asked', async (_what, auth, problem) => {
    await using server = await startA2aServer();
    const remotes = open({ signInHint: () => 'Type this.' });
    expect((await run(remotes, toAgent(server.cardUrl, { auth }), 'hello')).error).toContain(problem);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each([
    ['is not there', '/nothing', 'Agent card not found (404) at '],
    ['is a page', '/page', 'is not a card: its answer is not JSON.'],
    ['is a list', '/list', 'Its card is not a JSON object.'],
    ['offers gRPC only', '/grpc', 'expected JSONRPC or HTTP+JSON of A2A 0.3 or 1.x, found GRPC 1.0.'],
    ['is of the future', '/future', 'found JSONRPC 7.'],
  ])('whose card %s is told as failed', async (_what, path, problem) => {
    await using server = await serveCards({
      '/page': '<html>',
      '/list': '[]',
      '/grpc': JSON.stringify({
        supportedInterfaces: [{ url: 'http://x', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
      }),
      '/future': JSON.stringify({ url: 'http://x', protocolVersion: '7' }),
    });
    expect((await run(open(), toAgent(`${server.url}${path}`), 'hello')).error).toContain(problem);
  });

  it('that does not listen is told as failed, and reached when it does', async () => {
    const remotes = open();
    const agent = toAgent('http://127.0.0.1:1/card');
    expect((await run(remotes, agent, 'hello')).error).toContain('Connection failed for http://127.0.0.1:1');
  });

  it('may have its card in the file', async () => {
    await using server = await startA2aServer();
    const card = { url: `${server.url}/rpc`, protocolVersion: '1.0', capabilities: { streaming: true } };
    const { cardUrl: _none, ...agent } = toAgent('', { cardJson: JSON.stringify(card) });
    expect((await run(open(), agent, 'hello')).text).toContain('You said: hello');
  });

  it('is described by its card', async () => {
    await using server = await startA2aServer();
    const described = await open().describe(toAgent(server.cardUrl, { description: 'Ask about rain.' }), signal);
    expect(described).toBe(
      'User Description: Ask about rain.\nAgent Description: Knows the weather.\nSkills:\n- Forecast: Tells the weather of tomorrow.',
    );
  });

  it('with a long answer is cut', async () => {
    await using server = await startA2aServer();
    const { text } = await run(open(), toAgent(server.cardUrl), 'long please');
    expect(text).toContain('[20000 characters omitted.]');
    expect(text.length).toBeLessThan(31_000);
  });

  it.each([
    ['sends no redirect a credential', 'redirect'],
    ['is not sent to this machine by a card from elsewhere', 'elsewhere'],
  ])('%s', async (_what, kind) => {
    const { readCard } = await import('./agent-card.ts');
    const card = { url: 'http://127.0.0.1:9/rpc', protocolVersion: '0.3.0' };
    if (kind === 'elsewhere') {
      expect(() => readCard(card, new URL('https://agents.example/card.json'))).toThrow('an address on this machine');
      return;
    }
    await using target = await startA2aServer();
    await using server = await serveCards({ '/card': '' }, target.cardUrl);
    await run(open(), toAgent(`${server.url}/card`, { auth: { type: 'apiKey', key: 'secret' } }), 'hello');
    expect(target.requests[0]?.headers['x-api-key']).toBeUndefined();
  });
});

/** A plain server of documents; with `location`, everything is a redirect. */
async function serveCards(pages: Readonly<Record<string, string>>, location?: string) {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (location !== undefined) response.writeHead(302, { location }).end();
    else response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
