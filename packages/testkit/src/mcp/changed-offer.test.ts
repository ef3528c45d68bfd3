import { expect, test } from 'vitest';
import { change, notify } from './actions.ts';
import { EventReader, RawHttpClient } from './http-client.fixture.ts';
import { mcpServer } from './http-server.ts';
import type { McpScript } from './script.ts';

async function started(script: McpScript) {
  const server = await mcpServer(script);
  const client = new RawHttpClient(server);
  await client.open();
  return { server, client, [Symbol.asyncDispose]: () => server.close() };
}

test('the test plays actions in every session', async () => {
  await using both = await started({ tools: [{ name: 'echo' }] });
  await using listening = new EventReader(await both.client.listen());
  await both.server.play([change({ tools: [{ name: 'new' }] }), notify('notifications/tools/list_changed')]);
  expect(await listening.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
  const list = new EventReader(await both.client.request('tools/list'));
  expect(await list.message()).toMatchObject({ result: { tools: [{ name: 'new' }] } });
});

test('a subscribed resource changes, and the client reads it again', async () => {
  await using both = await started({ resources: [{ uri: 'file:///a', text: 'old' }] });
  const { client, server } = both;
  await using listening = new EventReader(await client.listen());
  expect(
    await new EventReader(await client.request('resources/subscribe', { uri: 'file:///a' })).message(),
  ).toHaveProperty('result');
  const updated = notify('notifications/resources/updated', { uri: 'file:///a' });
  await server.play([change({ resources: [{ uri: 'file:///a', text: 'new' }] }), updated]);
  expect(await listening.message()).toMatchObject({ params: { uri: 'file:///a' } });
  const read = new EventReader(await client.request('resources/read', { uri: 'file:///a' }));
  expect(await read.message()).toMatchObject({ result: { contents: [{ text: 'new' }] } });
  expect(server.record.received('resources/subscribe')).toMatchObject([{ params: { uri: 'file:///a' } }]);
});

test('a tool that removes itself still answers', async () => {
  await using both = await started({ tools: [{ name: 'gone', run: [change({ tools: [] })] }] });
  expect(await new EventReader(await both.client.request('tools/call', { name: 'gone' })).message()).toHaveProperty(
    'result',
  );
  expect(await new EventReader(await both.client.request('tools/call', { name: 'gone' })).message()).toMatchObject({
    error: { code: -32602, message: 'Unknown tool: gone' },
  });
});
