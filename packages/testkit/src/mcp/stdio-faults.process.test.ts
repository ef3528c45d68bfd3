/** What a plain client meets with the faults over stdio: the answers to initialize and to a call, and the end. */

import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { McpScript } from './script.ts';
import { INITIALIZE, startStdio } from './stdio-client.fixture.ts';
import { withFault } from './stdio-faults.ts';
import type { StdioFaultName } from './stdio-faults.ts';

/** Their actions are tested one by one beside the command: pipes that close, processes that stay. */
type Elsewhere =
  | 'closed_stdin'
  | 'closed_stdout'
  | 'ignores_sigterm'
  | 'grandchild'
  | 'stubborn_grandchild'
  | 'detached_grandchild'
  | 'slow_start';

const SCRIPT: McpScript = { tools: [{ name: 'echo', result: { content: [] } }] };
const WORKS = { initialize: 'answer', call: 'answer', end: '0' };
const NO_ANSWER = { initialize: 'none', call: 'none' };

const EXPECTED: Record<
  Exclude<StdioFaultName, Elsewhere>,
  { initialize: string; call: string; end: string; has?: RegExp }
> = {
  crash_at_start: { ...NO_ANSWER, end: '1' },
  crash_at_first_start: { ...NO_ANSWER, end: '1' },
  held_start: WORKS,
  silent: { ...NO_ANSWER, end: '0' },
  silent_initialize: { ...NO_ANSWER, call: 'answer', end: '0' },
  silent_list: WORKS,
  silent_call: { ...WORKS, call: 'none' },
  crash_in_initialize: { ...NO_ANSWER, end: '1' },
  crash_in_list: WORKS,
  crash_in_call: { ...WORKS, call: 'none', end: '1' },
  crash_in_first_call: { ...WORKS, call: 'none', end: '1' },
  crash_after_call: { ...WORKS, end: '1' },
  killed_in_call: { ...WORKS, call: 'none', end: 'SIGKILL' },
  half_answer_then_crash: { ...WORKS, call: 'none', end: '1', has: /\n\{"jsonrpc":"2.0",[^\n]*$/ },
  noise_before_start: { ...WORKS, has: /^Server v1 listening\n\n> ready\n\{/ },
  noise_between: { ...WORKS, has: /\n\[info\] a request\n\{.*\}\ndone\n/ },
  noise_on_line: { ...WORKS, call: 'none', has: /\nlog: \{"jsonrpc"/ },
  noise_binary: { ...WORKS, has: /^\uFFFD\uFFFD\0\n\{/ },
  noise_without_end: { ...WORKS, call: 'none', has: /\nworking\.\.\.\{"jsonrpc"/ },
  json_noise: { ...WORKS, has: /\n42\nnull\n\{/ },
  stderr_flood: WORKS,
  pieces: WORKS,
  half_line: { ...WORKS, call: 'none', has: /\n\{"jsonrpc":"2.0","id":2/ },
  huge_line: { ...WORKS, has: /x{1000}/ },
  endless_line: { ...WORKS, has: /\nx{1000}/ },
  crlf: { ...WORKS, has: /\}\r\n/ },
  invalid_json: { ...WORKS, call: 'none', has: /\n\{"jsonrpc":"2.0","id":\n/ },
  invalid_result: { ...WORKS, has: /"id":2,"result":42\}/ },
  invalid_list: WORKS,
  wrong_id: { ...WORKS, call: 'none', has: /"id":987654,/ },
  null_id: { ...WORKS, call: 'none', has: /"id":null,/ },
  duplicate_answer: { ...WORKS, call: 'answer answer' },
  unknown_answer: { ...WORKS, has: /"id":"never-asked".*\n.*"id":2/ },
  unknown_method: { ...WORKS, has: /"method":"x\/unknown"/ },
  late_answer: { ...WORKS, call: 'none' },
  unsupported_version: { ...WORKS, has: /"protocolVersion":"1999-01-01"/ },
};

test.each(Object.entries(EXPECTED))('%s', async (name, { has = /^/, ...expected }) => {
  await using both = await startStdio(withFault(SCRIPT, name as StdioFaultName));
  const { client, server } = both;
  const closed = once(client.child, 'close');
  client.send({ id: 1, method: 'initialize', params: INITIALIZE });
  client.send({ method: 'notifications/initialized' });
  client.send({ id: 2, method: 'tools/call', params: { name: 'echo' } });
  client.send({ id: 3, method: 'ping' });
  server.release('start');
  // Pieces follow each other; all else is written when the server has read the last request.
  if (name === 'pieces') await client.until(({ messages }) => messages.some(({ id }) => id === 3));
  else await Promise.race([closed, server.readRecord().until((record) => record.received('ping').length === 1)]);
  client.child.stdin?.end();
  await closed;
  const kinds = (wanted: number) =>
    client.messages
      .filter((message) => message?.['id'] === wanted)
      .map((message) => ('result' in message ? 'answer' : 'error'));
  const { code, signal } = await client.exited;
  expect({
    initialize: kinds(1).join(' ') || 'none',
    call: kinds(2).join(' ') || 'none',
    end: String(signal ?? code),
  }).toEqual(expected);
  expect(client.stdout).toMatch(has);
});

test('a late answer follows the cancellation', async () => {
  await using both = await startStdio(withFault(SCRIPT, 'late_answer'));
  await both.client.open();
  both.client.send({ id: 9, method: 'tools/call', params: { name: 'echo' } });
  both.client.send({ method: 'notifications/cancelled', params: { requestId: 9 } });
  await both.client.until(({ messages }) => messages.some(({ id }) => id === 9));
});

test.each([
  ['silent_list', 'none', '0'],
  ['crash_in_list', 'none', '1'],
  ['invalid_list', '{"tools":"none"}', '0'],
] as const)('%s answers tools/list with %s', async (name, expected, end) => {
  await using both = await startStdio(withFault(SCRIPT, name));
  const { client, server } = both;
  const closed = once(client.child, 'close');
  await client.open();
  client.send({ id: 9, method: 'tools/list' });
  await Promise.race([closed, server.readRecord().until((record) => record.received('tools/list').length === 1)]);
  client.child.stdin?.end();
  await closed;
  expect(JSON.stringify(client.messages.find(({ id }) => id === 9)?.['result']) ?? 'none').toBe(expected);
  expect(String((await client.exited).code)).toBe(end);
});
