import { expect, test } from 'vitest';
import { gate, on, reset, status } from './actions.ts';
import { EventReader } from './http-client.fixture.ts';
import { mcpServer } from './http-server.ts';
import { INITIALIZE } from './stdio-client.fixture.ts';

const ECHO = { tools: [{ name: 'echo' }] };
const callEcho = { name: 'echo', arguments: { a: 1 } };

test('the older transport names its endpoint and answers over the stream', async () => {
  await using server = await mcpServer({ ...ECHO, http: { transports: ['sse'] } });
  expect((await fetch(server.url, { method: 'POST' })).status).toBe(404);
  expect((await fetch(server.sseUrl, { method: 'POST' })).status).toBe(405);
  await using stream = new EventReader(await fetch(server.sseUrl, { headers: { accept: 'text/event-stream' } }));
  const endpoint = await stream.next();
  expect(endpoint).toMatchObject({
    event: 'endpoint',
    data: expect.stringMatching(/^\/messages\?sessionId=/) as unknown,
  });
  const post = (message: object) =>
    fetch(new URL(endpoint!.data, server.origin), {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  expect((await post({ id: 1, method: 'initialize', params: INITIALIZE })).status).toBe(202);
  expect(await stream.message()).toMatchObject({ id: 1, result: { serverInfo: { name: 'scripted' } } });
  await post({ method: 'notifications/initialized' });
  await post({ id: 2, method: 'tools/call', params: callEcho });
  expect(await stream.message()).toMatchObject({ id: 2, result: {} });
  await stream[Symbol.asyncDispose]();
  await server.record.until((record) => record.of('disconnected').length === 1);
  expect((await post({ id: 3, method: 'ping' })).status).toBe(404);
});

test('the older transport fails in the POST and in the stream', async () => {
  await using server = await mcpServer({ rules: [on('ping', [status(500)]), on('initialize', [gate('go'), reset()])] });
  await using stream = new EventReader(await fetch(server.sseUrl));
  const { data } = (await stream.next())!;
  const post = (method: string) =>
    fetch(new URL(data, server.origin), {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: method, method }),
    });
  expect((await post('ping')).status).toBe(500);
  expect((await post('initialize')).status).toBe(202);
  server.release('go');
  await expect(stream.next()).rejects.toThrow('terminated');
});
