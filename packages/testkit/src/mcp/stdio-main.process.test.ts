import { expect, test } from 'vitest';
import { createWorkspace } from '../workspace.ts';
import { rawStdioClient, startStdio as start } from './stdio-client.fixture.ts';
import { mcpStdioCommand } from './stdio-command.ts';

const ECHO = { tools: [{ name: 'echo' }] };

test('a module is a script, with results that depend on the arguments', async () => {
  await using workspace = await createWorkspace();
  const path = await workspace.write(
    'server.ts',
    `export const script = { tools: [{ name: 'add', result: ({ a, b }: { a: number; b: number }) => ({ content: [], structuredContent: { sum: a + b } }) }] };`,
  );
  await using both = await start(path);
  await both.client.open();
  const answered = await both.client.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
  expect(answered).toMatchObject({ result: { structuredContent: { sum: 5 } } });
});

test('a function in a script that is written as JSON is an error', async () => {
  await expect(mcpStdioCommand({ tools: [{ name: 'f', result: () => ({}) }] })).rejects.toThrow(
    '"result" of the script is a function',
  );
});

test('the script can be named by the environment, without a folder', async () => {
  await using server = await mcpStdioCommand(ECHO);
  const [main = '', script = ''] = server.args;
  await using client = rawStdioClient({ command: server.command, args: [main], env: { CASTOR_MCP_SCRIPT: script } });
  expect(await client.open()).toHaveProperty('result');
  expect(server.readRecord().entries).toEqual([]);
});

test.each<[string, object[], string]>([
  ['a request before initialize', [{ id: 1, method: 'tools/list' }], 'tools/list was sent before initialize'],
  [
    'a repeated id',
    [
      { id: 1, method: 'ping' },
      { id: 1, method: 'ping' },
    ],
    'ping repeats the id 1',
  ],
  [
    'an unknown cancellation',
    [{ method: 'notifications/cancelled', params: { requestId: 4 } }],
    'notifications/cancelled names the unknown request 4',
  ],
  ['an answer to no request', [{ id: 'x', result: {} }], 'an answer has the unknown id "x"'],
])('%s is a violation', async (_name, messages, rule) => {
  await using both = await start(ECHO);
  for (const message of messages) both.client.send(message);
  const record = both.server.readRecord();
  await record.until(({ violations }) => violations.includes(rule));
  expect(() => record.assertLegal()).toThrow(rule);
});

test('a line that is no JSON is recorded as it is', async () => {
  await using both = await start(ECHO);
  both.client.write('hello\n');
  const record = both.server.readRecord();
  await record.until((each) => each.violations.length > 0);
  expect(record.of('invalid')).toMatchObject([{ text: 'hello' }]);
});
