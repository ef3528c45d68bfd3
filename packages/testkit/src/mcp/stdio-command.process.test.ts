import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  answer,
  change,
  closeStream,
  crash,
  failure,
  gate,
  grandchild,
  notify,
  on,
  progress,
  raw,
  rawBytes,
  request,
  send,
  stderr,
  untilCancelled,
} from './actions.ts';
import type { McpScript } from './script.ts';
import { INITIALIZE, rawStdioClient, startStdio as start } from './stdio-client.fixture.ts';
import { mcpStdioCommand } from './stdio-command.ts';

const ECHO: McpScript = { tools: [{ name: 'echo' }] };
const callEcho = { name: 'echo', arguments: { a: 1 } };

test('an honest server initializes, lists, calls, records and ends with its stdin', async () => {
  await using both = await start({ ...ECHO, instructions: 'Be kind.' });
  const { client, server } = both;
  expect(await client.open()).toMatchObject({
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'scripted' },
      instructions: 'Be kind.',
    },
  });
  expect(await client.request('tools/list')).toMatchObject({
    result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  });
  expect(await client.request('tools/call', callEcho)).toMatchObject({
    result: { content: [{ type: 'text', text: '{"a":1}' }] },
  });
  client.child.stdin?.end();
  expect(await client.exited).toEqual({ code: 0, signal: null });
  const record = server.readRecord();
  expect(record.starts).toBe(1);
  expect(record.calls('echo')).toEqual([{ a: 1 }]);
  expect(record.received().map(({ method }) => method)).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/call',
  ]);
  expect(record.entries.map(({ event }) => event).slice(-2)).toEqual(['stdin_end', 'exit']);
  record.assertLegal();
});

test('the record has the arguments, the folder and the environment of each start', async () => {
  await using server = await mcpStdioCommand(ECHO);
  const entry = { ...server.entry, env: { MARK: 'yes' } };
  await using client = rawStdioClient(entry);
  await client.open();
  const [started] = server.readRecord().of('started');
  expect(started).toMatchObject({ cwd: process.cwd(), pid: client.child.pid, start: 1 });
  expect(started?.env['MARK']).toBe('yes');
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['1999-01-01', '2025-11-25'],
])('an offer of %s is answered with %s', async (offered, answered) => {
  await using both = await start(ECHO);
  const { result } = await both.client.request('initialize', { ...INITIALIZE, protocolVersion: offered });
  expect(result).toMatchObject({ protocolVersion: answered });
});

test('a gate holds the start until the test releases it', async () => {
  await using both = await start({ ...ECHO, rules: [on('start', [gate('up')])] });
  const opened = both.client.open();
  await both.server.readRecord().reached('up');
  expect(both.client.stdout).toBe('');
  both.server.release('up');
  expect(await opened).toHaveProperty('result');
});

test('a server that crashes at its first two starts works at the third', { tags: 'wide' }, async () => {
  await using server = await mcpStdioCommand({
    ...ECHO,
    rules: [on('start', [stderr('no port\n'), crash({ code: 7 })], { start: [1, 2] })],
  });
  for (const code of [7, 7]) {
    await using client = rawStdioClient(server.entry);
    expect((await client.exited).code).toBe(code);
    await client.until(({ stderr: text }) => text === 'no port\n');
  }
  await using client = rawStdioClient(server.entry);
  expect(await client.open()).toHaveProperty('result');
  expect(server.readRecord().starts).toBe(3);
});

test.each([
  ['after n messages', on('*', [crash()], { nth: 3 }), { code: 1, signal: null }],
  ['in a call', on('tools/call', [crash({ code: 3 })]), { code: 3, signal: null }],
  ['by a signal', on('tools/call', [crash({ signal: 'SIGKILL' })]), { code: null, signal: 'SIGKILL' }],
])('a server crashes %s', async (_name, rule, end) => {
  await using both = await start({ ...ECHO, rules: [rule] });
  await both.client.open();
  both.client.send({ id: 9, method: 'tools/call', params: callEcho });
  expect(await both.client.exited).toEqual(end);
  expect(both.server.readRecord().calls()).toEqual([{ a: 1 }]);
});

const LINE = '{"jsonrpc":"2.0","id":2,"result":{}}';

test.each<[string, Parameters<typeof on>[1], (stdout: string) => void]>([
  ['noise before JSON', [raw('Listening…\n'), answer()], (out) => expect(out).toBe(`Listening…\n${LINE}\n`)],
  ['noise on the line of JSON', [answer({ prefix: 'log: ' })], (out) => expect(out).toBe(`log: ${LINE}\n`)],
  [
    'half a line',
    [answer({ isHalf: true }), raw('\n')],
    (out) => expect(out).toBe(`${LINE.slice(0, LINE.length / 2)}\n`),
  ],
  ['a line in pieces', [answer({ pieces: 5 })], (out) => expect(out).toBe(`${LINE}\n`)],
  ['CRLF', [answer({ lineEnd: '\r\n' })], (out) => expect(out).toBe(`${LINE}\r\n`)],
  ['a huge line', [answer({ padding: 300_000 })], (out) => expect(out.length).toBeGreaterThan(300_000)],
  ['invalid JSON', [raw('{"jsonrpc":\n')], (out) => expect(out).toBe('{"jsonrpc":\n')],
  ['invalid UTF-8', [rawBytes(Buffer.from([0xff, 10]))], (out) => expect(out).toBe('\uFFFD\n')],
  ['a wrong id', [answer({ id: 999 })], (out) => expect(out).toContain('"id":999')],
  ['the id null', [answer({ id: null })], (out) => expect(out).toContain('"id":null')],
  ['two answers', [answer(), answer()], (out) => expect(out).toBe(`${LINE}\n${LINE}\n`)],
  ['an unknown id', [send({ jsonrpc: '2.0', id: 'x', result: {} })], (out) => expect(out).toContain('"id":"x"')],
  [
    'an error',
    [failure(-32000, 'no', { a: 1 })],
    (out) => expect(out).toContain('"error":{"code":-32000,"message":"no","data":{"a":1}}'),
  ],
])('stdout has %s', async (_name, actions, check) => {
  await using both = await start({ rules: [on('ping', [...actions, gate('written')])] });
  await both.client.open();
  const before = both.client.stdout.length;
  both.client.send({ id: 2, method: 'ping' });
  await both.server.readRecord().reached('written');
  both.server.release('written');
  both.client.child.stdin?.end();
  await both.client.exited;
  await new Promise<void>((resolve) =>
    both.client.child.stdout?.readableEnded ? resolve() : both.client.child.stdout?.once('end', resolve),
  );
  check(both.client.stdout.slice(before));
});

test('a request without an answer leaves the server able to answer others', { tags: 'wide' }, async () => {
  await using both = await start({ ...ECHO, rules: [on('tools/list', [])] });
  await both.client.open();
  both.client.send({ id: 50, method: 'tools/list' });
  await both.client.request('ping');
  expect(both.client.messages.some(({ id }) => id === 50)).toBe(false);
});

test('a flood of stderr arrives whole and before the answer', { tags: 'wide' }, async () => {
  await using both = await start({ rules: [on('ping', [stderr('x'.repeat(99) + '\n', 5000), answer()])] });
  await both.client.open();
  await both.client.request('ping');
  await both.client.until(({ stderr: text }) => text.length === 500_000);
});

test('a server closes its stdin and its stdout and lives on', { tags: 'wide' }, async () => {
  await using both = await start({
    rules: [on('ping', [answer(), closeStream('stdin'), closeStream('stdout')])],
  });
  const { client, server } = both;
  await client.open();
  const broken = once(client.child.stdin!, 'error');
  await client.request('ping');
  await once(client.child.stdout!, 'end');
  client.write('{}\n');
  expect(await broken).toMatchObject([{ code: 'EPIPE' }]);
  expect(server.alive).toEqual([client.child.pid]);
});

test('a server ignores SIGTERM and the end of its stdin, and dispose ends it', { tags: 'wide' }, async () => {
  const server = await mcpStdioCommand({ process: { ignores: ['SIGTERM'], ignoresStdinEnd: true } });
  await using client = rawStdioClient(server.entry);
  await client.open();
  client.child.kill('SIGTERM');
  client.child.stdin?.end();
  await server.readRecord().until((record) => record.of('signal').length + record.of('stdin_end').length === 2);
  expect(server.alive).toEqual([client.child.pid]);
  await server.dispose();
  expect(await client.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test.each([{ isDetached: false }, { isDetached: true }])(
  'a grandchild %o outlives the server and keeps its pipes',
  async (options) => {
    await using both = await start({ rules: [on('ping', [grandchild(options), answer()])] });
    await both.client.open();
    await both.client.request('ping');
    const [{ child } = { child: 0 }] = both.server.readRecord().of('grandchild');
    both.client.child.stdin?.end();
    await both.client.exited;
    await both.server.untilAlive((alive) => alive.length === 1);
    expect(both.server.alive).toEqual([child]);
    expect(both.client.child.stdout?.readableEnded).toBe(false);
  },
);

test('a call reports progress, sees its cancellation and sends no answer', async () => {
  await using both = await start({
    tools: [{ name: 'slow', run: [progress(1, { total: 2, message: 'half' }), untilCancelled()] }],
  });
  const { client, server } = both;
  await client.open();
  client.send({ id: 7, method: 'tools/call', params: { name: 'slow', _meta: { progressToken: 't' } } });
  await client.until(({ messages }) => messages.some(({ method }) => method === 'notifications/progress'));
  expect(client.messages.at(-1)).toMatchObject({
    params: { progressToken: 't', progress: 1, total: 2, message: 'half' },
  });
  client.send({ method: 'notifications/cancelled', params: { requestId: 7, reason: 'user' } });
  await client.request('ping');
  expect(server.readRecord().of('cancelled')).toMatchObject([{ requestId: 7, reason: 'user' }]);
  expect(client.messages.some(({ id }) => id === 7)).toBe(false);
});

test('a call asks the client for its roots and returns the answer', { tags: 'wide' }, async () => {
  await using both = await start({ tools: [{ name: 'roots', run: [request('roots/list')] }] });
  const { client } = both;
  await client.open();
  const called = client.request('tools/call', { name: 'roots' });
  await client.until(({ messages }) => messages.some(({ method }) => method === 'roots/list'));
  client.send({ id: 'server-1', result: { roots: [{ uri: 'file:///a' }] } });
  expect(await called).toMatchObject({ result: { content: [{ text: '{"roots":[{"uri":"file:///a"}]}' }] } });
  expect(both.server.readRecord().answers).toHaveLength(1);
});

test('a rule changes the tools after a gate and announces it', async () => {
  const later = [gate('later'), change({ tools: [{ name: 'new' }] }), notify('notifications/tools/list_changed')];
  await using both = await start({ ...ECHO, rules: [on('notifications/initialized', later)] });
  const { client, server } = both;
  await client.open();
  expect(await client.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'echo' }] } });
  server.release('later');
  await client.until(({ messages }) => messages.some(({ method }) => method === 'notifications/tools/list_changed'));
  expect(await client.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'new' }] } });
});
