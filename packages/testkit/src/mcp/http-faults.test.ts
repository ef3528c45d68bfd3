/** What a plain client meets with every fault over HTTP: how initialize ended and, if it worked, how a call did. */

import { expect, test } from 'vitest';
import { HTTP_FAULTS, withHttpFault } from './http-faults.ts';
import type { HttpFaultName } from './http-faults.ts';
import { RawHttpClient } from './http-client.fixture.ts';
import { mcpServer } from './http-server.ts';
import type { McpScript } from './script.ts';
import { INITIALIZE } from './stdio-client.fixture.ts';

const SCRIPT: McpScript = { tools: [{ name: 'echo', result: { content: [] } }] };
const ANSWERED = '200 answer';

/** `silent`: the server answers other requests, but never this one. */
const EXPECTED: Record<HttpFaultName, string | { call: string }> = {
  refused_post: '405',
  missing: '404',
  unauthorized: '401',
  forbidden: { call: '403' },
  server_error: { call: '500 oops' },
  unavailable_once: { call: '503' },
  rate_limited: { call: '429' },
  captive_portal: '200 <html>Sign in to the network</html>',
  empty_body: { call: '200' },
  invalid_json: { call: '200 {"jsonrpc":' },
  accepted: { call: '202' },
  silent: 'silent',
  silent_call: { call: 'silent' },
  slow_headers: { call: 'silent' },
  slow_body: { call: 'silent' },
  reset_at_connect: 'reset',
  reset_in_call: { call: 'reset' },
  reset_in_stream: { call: 'reset' },
  ended_stream: { call: '200 progress' },
  half_event: { call: '200 half' },
  dropped_and_resumable: { call: '200 progress' },
  noise_in_stream: { call: ANSWERED },
  pieces: { call: ANSWERED },
  wrong_id: { call: '200 answer to 987654' },
  duplicate_answer: { call: '200 answer answer' },
  protocol_error: { call: '200 error' },
  lost_session: { call: '404 error' },
  restart: { call: 'reset' },
  no_stream: { call: ANSWERED },
  missing_stream: { call: ANSWERED },
  failing_stream: { call: ANSWERED },
  flapping_stream: { call: ANSWERED },
  no_sessions: { call: ANSWERED },
  json_answers: { call: ANSWERED },
  redirect: '307',
  redirect_elsewhere: '308',
  list_storm: { call: ANSWERED },
};

test.each(Object.keys(HTTP_FAULTS) as HttpFaultName[])('%s', async (name) => {
  const expected = EXPECTED[name];
  await using server = await mcpServer(withHttpFault(SCRIPT, name));
  const client = new RawHttpClient(server);
  const isInitialize = typeof expected === 'string';
  if (!isInitialize) await client.open();
  const call = { name: 'echo', _meta: { progressToken: 1 } };
  const pending = outcomeOf(
    isInitialize ? client.request('initialize', INITIALIZE) : client.request('tools/call', call),
  );
  const outcome = isInitialize ? expected : expected.call;
  if (outcome !== 'silent') {
    expect(await pending).toBe(outcome);
    return;
  }
  const count = isInitialize ? 1 : 3;
  await server.record.until((record) => record.requests('POST /mcp').length === count);
  let isSettled = false;
  void pending.then(() => (isSettled = true));
  expect((await fetch(`${server.origin}/other`)).status).toBe(404);
  expect(isSettled).toBe(false);
});

test.each(['missing_stream', 'no_stream', 'failing_stream', 'flapping_stream'] as const)(
  'the stream of %s',
  async (name) => {
    await using server = await mcpServer(withHttpFault(SCRIPT, name));
    const client = new RawHttpClient(server);
    await client.open();
    const outcome = await outcomeOf(client.listen());
    expect(outcome).toBe(
      { missing_stream: '404', no_stream: '405', failing_stream: '500', flapping_stream: '200 : bye' }[name],
    );
  },
);

test('a lost session can be opened again', async () => {
  await using server = await mcpServer(withHttpFault(SCRIPT, 'lost_session'));
  const client = new RawHttpClient(server);
  await client.open();
  await client.request('tools/call', { name: 'echo' });
  client.session = undefined;
  await client.open();
  expect(await outcomeOf(client.request('tools/call', { name: 'echo' }))).toBe('200 answer to 4');
});

/** The status and the kinds of messages in the body. A reset may overtake what was sent before it. */
async function outcomeOf(pending: Promise<Response>): Promise<string> {
  try {
    const response = await pending;
    return `${response.status} ${describe(await response.text())}`.trim();
  } catch (error) {
    const { message } = error as Error;
    return ['fetch failed', 'terminated'].includes(message) ? 'reset' : message;
  }
}

function describe(body: string): string {
  const events = body.split('\n').filter((line) => line.startsWith('data: {"jsonrpc"'));
  if (events.length > 0) return events.map((line) => kindOf(line.slice('data: '.length))).join(' ');
  return body.startsWith('{') || body.startsWith('[') ? kindOf(body) : body.trim();
}

function kindOf(json: string): string {
  let message: { id?: unknown; method?: string; error?: unknown };
  try {
    message = JSON.parse(json) as typeof message;
  } catch {
    return json === '{"jsonrpc":' ? json : 'half';
  }
  if (message.method !== undefined) return message.method.replace('notifications/', '');
  if (message.error !== undefined) return 'error';
  return message.id === 2 ? 'answer' : `answer to ${String(message.id)}`;
}
