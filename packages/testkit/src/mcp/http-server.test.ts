import { expect, test } from 'vitest';
import {
  answer,
  drop,
  forget,
  gate,
  on,
  pass,
  progress,
  raw,
  request,
  reset,
  status,
  untilCancelled,
} from './actions.ts';
import { EventReader, RawHttpClient } from './http-client.fixture.ts';
import { mcpServer } from './http-server.ts';
import type { McpServer } from './http-server.ts';
import type { McpScript } from './script.ts';
import { INITIALIZE } from './stdio-client.fixture.ts';

const ECHO: McpScript = { tools: [{ name: 'echo' }] };
const callEcho = { name: 'echo', arguments: { a: 1 } };

async function start(script: McpScript): Promise<{ server: McpServer; client: RawHttpClient } & AsyncDisposable> {
  const server = await mcpServer(script);
  return { server, client: new RawHttpClient(server), [Symbol.asyncDispose]: () => server.close() };
}

async function started(script: McpScript) {
  const both = await start(script);
  await both.client.open();
  return both;
}

test('an honest session initializes, calls and ends', async () => {
  await using both = await started(ECHO);
  const { client, server } = both;
  const response = await client.request('tools/call', callEcho);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const [event, ...others] = await new EventReader(response).rest();
  expect(JSON.parse(event!.data)).toMatchObject({ id: 2, result: { content: [{ text: '{"a":1}' }] } });
  expect(others).toEqual([]);
  expect(server.sessions).toEqual([client.session]);
  expect((await client.fetch('DELETE')).status).toBe(200);
  expect((await client.request('ping')).status).toBe(404);
  server.record.assertLegal();
  expect(server.record.requests('POST /mcp')).toHaveLength(4);
});

test('answers come as JSON, and what belongs to no request over the listening stream', async () => {
  await using both = await started({ tools: [{ name: 'p', run: [progress(1)] }], http: { answers: 'json' } });
  await using listening = new EventReader(await both.client.listen());
  const response = await both.client.request('tools/call', { name: 'p', _meta: { progressToken: 5 } });
  expect(await response.json()).toMatchObject({ id: 2, result: {} });
  expect(await listening.message()).toMatchObject({ method: 'notifications/progress', params: { progressToken: 5 } });
});

test('progress precedes the answer in the stream of its request', async () => {
  await using both = await started({ tools: [{ name: 'p', run: [progress(1), progress(2)] }] });
  const events = await new EventReader(
    await both.client.request('tools/call', { name: 'p', _meta: { progressToken: 5 } }),
  ).rest();
  expect(events.map(({ data }) => (JSON.parse(data) as { method?: string }).method)).toEqual([
    'notifications/progress',
    'notifications/progress',
    undefined,
  ]);
});

test('a call asks the client and waits for the answer of another POST', async () => {
  await using both = await started({
    tools: [{ name: 'ask', run: [request('elicitation/create', { message: 'Name?' })] }],
  });
  await using stream = new EventReader(await both.client.request('tools/call', { name: 'ask' }));
  const { id, method } = await stream.message();
  expect(method).toBe('elicitation/create');
  expect((await both.client.post({ jsonrpc: '2.0', id, result: { action: 'decline' } })).status).toBe(202);
  expect(await stream.message()).toMatchObject({ result: { content: [{ text: '{"action":"decline"}' }] } });
});

test('a cancelled call is recorded and never answered', async () => {
  await using both = await started({ tools: [{ name: 'slow', run: [progress(0), untilCancelled()] }] });
  await using stream = new EventReader(
    await both.client.request('tools/call', { name: 'slow', _meta: { progressToken: 1 } }, 77),
  );
  await stream.next();
  await both.client.notify('notifications/cancelled', { requestId: 77 });
  await both.server.record.until((record) => record.of('cancelled').length === 1);
  expect(both.server.record.of('sent').some(({ message }) => (message as { id?: unknown }).id === 77)).toBe(false);
});

test.each<[string, (client: RawHttpClient) => Promise<Response>, number, string | undefined]>([
  [
    'a POST that accepts JSON only',
    (client) => client.post({}, { accept: 'application/json' }),
    406,
    'a POST does not accept application/json and text/event-stream',
  ],
  [
    'a POST of text',
    (client) => client.post({}, { 'content-type': 'text/plain' }),
    415,
    'the body of a POST is not application/json',
  ],
  [
    'a body that is no JSON',
    (client) =>
      client.fetch('POST', { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }, '{'),
    400,
    'the body of a POST is no JSON',
  ],
  ['an unknown session', (client) => client.post({}, { 'mcp-session-id': 'x' }), 404, undefined],
  [
    'another version',
    (client) => client.post({}, { 'mcp-protocol-version': '2024-11-05' }),
    400,
    'a request has the mcp-protocol-version 2024-11-05 instead of 2025-06-18',
  ],
  [
    'a GET that accepts JSON',
    (client) => client.fetch('GET', { accept: 'application/json' }),
    406,
    'a GET does not accept text/event-stream',
  ],
  ['PUT', (client) => client.fetch('PUT'), 405, undefined],
])('%s is rejected', async (_name, send, code, rule) => {
  await using both = await started(ECHO);
  expect((await send(both.client)).status).toBe(code);
  expect(both.server.record.violations).toEqual(rule === undefined ? [] : [rule]);
});

test('a request without its session is rejected, and one without its version is noted', async () => {
  await using both = await started(ECHO);
  const session = both.client.session!;
  both.client.session = undefined;
  expect((await both.client.request('ping')).status).toBe(400);
  both.client.headers = { 'mcp-session-id': session };
  expect((await both.client.request('ping')).status).toBe(200);
  expect(both.server.record.violations).toEqual([
    'a request has no mcp-session-id',
    'a request has no mcp-protocol-version',
  ]);
});

test('a server without sessions sends no header and needs none', async () => {
  await using both = await started({ ...ECHO, http: { sessions: 'none' } });
  expect(both.client.session).toBeUndefined();
  both.client.headers = { 'mcp-protocol-version': '2025-06-18' };
  expect((await both.client.request('ping')).status).toBe(200);
});

test('optional methods answer 405', async () => {
  await using both = await started({ ...ECHO, http: { stream: false, canDelete: false } });
  expect((await both.client.listen()).status).toBe(405);
  expect((await both.client.fetch('DELETE')).status).toBe(405);
});

test('a session is lost by a rule or by the test', async () => {
  await using both = await started({ ...ECHO, rules: [on('tools/call', [forget(), answer()])] });
  expect((await both.client.request('tools/call', callEcho)).status).toBe(200);
  expect((await both.client.request('ping')).status).toBe(404);
  await both.client.open();
  both.server.forgetSessions();
  expect((await both.client.request('ping')).status).toBe(404);
});

test('a dropped stream is resumed after the last event, and has the answer', async () => {
  const run = [progress(1), drop(), progress(2), gate('go')];
  await using both = await started({ tools: [{ name: 'long', run }], http: { isResumable: true, retry: 10 } });
  const { client, server } = both;
  const first = await new EventReader(
    await client.request('tools/call', { name: 'long', _meta: { progressToken: 1 } }),
  ).rest();
  expect(first.at(0)).toEqual({ retry: '10' });
  expect(JSON.parse(first.at(1)!.data)).toMatchObject({ params: { progress: 1 } });
  expect(first).toHaveLength(2);
  await server.record.reached('go');
  await using resumed = new EventReader(await client.listen({ 'last-event-id': first.at(1)!.id! }));
  expect(await resumed.next()).toEqual({ retry: '10' });
  expect(await resumed.message()).toMatchObject({ params: { progress: 2 } });
  server.release('go');
  expect(await resumed.message()).toMatchObject({ id: 2, result: {} });
  expect(await resumed.next()).toBeUndefined();
});

test('the newest revision primes resumable streams with an id', async () => {
  await using both = await start({ ...ECHO, http: { isResumable: true } });
  const response = await both.client.request('initialize', { ...INITIALIZE, protocolVersion: '2025-11-25' });
  const [primer, message] = await new EventReader(response).rest();
  expect(primer).toEqual({ id: 'post-1:0', data: '' });
  expect(message?.id).toBe('post-1:1');
});

test('rules on HTTP requests redirect, delay, fail and reset', async () => {
  await using both = await start({
    ...ECHO,
    rules: [
      on('POST /mcp', [status(307, { headers: { location: '/elsewhere' } })], { nth: 1 }),
      on('POST /mcp', [gate('headers'), pass()], { nth: 2 }),
      on('POST /mcp', [reset()], { nth: 3 }),
      on('POST /mcp', [status(503, { headers: { 'retry-after': '1' }, body: 'busy' })], { name: 'tools/call' }),
      on('GET /healthz', [status(200, { body: 'ok' })]),
    ],
  });
  const { client, server } = both;
  const redirected = await client.request('initialize', INITIALIZE);
  expect([redirected.status, redirected.headers.get('location')]).toEqual([307, '/elsewhere']);
  const slow = client.request('initialize', INITIALIZE);
  await server.record.reached('headers');
  server.release('headers');
  expect((await slow).status).toBe(200);
  await expect(client.request('initialize', INITIALIZE)).rejects.toThrow('fetch failed');
  await client.open();
  const busy = await client.request('tools/call', callEcho);
  expect([busy.status, await busy.text()]).toEqual([503, 'busy']);
  expect(await (await fetch(`${server.origin}/healthz`)).text()).toBe('ok');
  expect((await fetch(`${server.origin}/unknown`)).status).toBe(404);
});

test.each([
  ['a status', [status(500)], 500],
  ['a 404', [status(404)], 404],
])('a rule answers a call with %s', async (_name, actions, code) => {
  await using both = await started({ ...ECHO, rules: [on('tools/call', actions)] });
  expect((await both.client.request('tools/call', callEcho)).status).toBe(code);
});

test('a notification is answered with the status of its rule', async () => {
  await using both = await start({ rules: [on('notifications/initialized', [status(500)])] });
  await both.client.open();
  await both.server.record.until((record) => record.of('responded').length === 2);
  expect(both.server.record.of('responded').map((entry) => entry.status)).toEqual([200, 500]);
});

test.each([
  ['in the middle of a stream', [progress(1), gate('read'), reset()]],
  ['in the middle of an event', [progress(1), raw('data: {"jsonrpc"'), gate('read'), reset()]],
])('a connection is reset %s', async (_name, actions) => {
  await using both = await started({ ...ECHO, rules: [on('tools/call', actions)] });
  await using stream = new EventReader(
    await both.client.request('tools/call', { ...callEcho, _meta: { progressToken: 1 } }),
  );
  await stream.next();
  both.server.release('read');
  await expect(stream.next()).rejects.toThrow('terminated');
});

test('a stream that ends without the answer is no reset', async () => {
  await using both = await started({ ...ECHO, rules: [on('tools/call', [answer({ isHalf: true }), drop()])] });
  const text = await (await both.client.request('tools/call', callEcho)).text();
  expect(text).toMatch(/^event: message\ndata: \{"jsonrpc"[^\n]*$/);
});

test('a crash resets connections and loses sessions, and the server answers again', async () => {
  await using both = await started({ ...ECHO, rules: [on('tools/call', [{ do: 'crash' }], { nth: 1 })] });
  await expect(both.client.request('tools/call', callEcho)).rejects.toThrow('fetch failed');
  expect((await both.client.request('ping')).status).toBe(404);
  await both.client.open();
  expect((await both.client.request('tools/call', callEcho)).status).toBe(200);
});

test('a header that the script requires is checked', async () => {
  await using both = await start({ ...ECHO, http: { requires: { 'x-key': 'secret' } } });
  const rejected = await both.client.request('initialize', INITIALIZE);
  expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  both.client.headers = { 'x-key': 'secret' };
  expect((await both.client.open()).status).toBe(200);
});
