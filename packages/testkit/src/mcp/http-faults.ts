/** Every way in which a server over HTTP fails, by name, for tables of tests: what the client meets, and the script. */

import {
  answer,
  crash,
  drop,
  failure,
  forget,
  gate,
  notify,
  on,
  pass,
  progress,
  raw,
  reset,
  status,
} from './actions.ts';
import type { McpHttp, McpRule, McpScript } from './script.ts';

interface HttpFault {
  readonly meets: string;
  readonly rules?: readonly McpRule[];
  readonly http?: McpHttp;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>Sign in to the network</html>' };

export const HTTP_FAULTS = {
  refused_post: {
    meets: 'POST is answered with 405, as servers of the older transport do.',
    rules: [on('POST /mcp', [status(405)])],
  },
  missing: { meets: 'Streamable HTTP is not there: 404.', http: { transports: ['sse'] } },
  unauthorized: { meets: '401 without a hint.', rules: [on('POST /mcp', [status(401)])] },
  forbidden: {
    meets: '403 for a missing scope.',
    rules: [
      on(
        'POST /mcp',
        [status(403, { headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="admin"' } })],
        { name: 'tools/call' },
      ),
    ],
  },
  server_error: {
    meets: 'Every call is answered with 500.',
    rules: [on('tools/call', [status(500, { body: 'oops' })])],
  },
  unavailable_once: {
    meets: 'The first call is answered with 503.',
    rules: [on('tools/call', [status(503, { headers: { 'retry-after': '1' } })], { nth: 1 })],
  },
  rate_limited: {
    meets: 'Every call is answered with 429.',
    rules: [on('tools/call', [status(429, { headers: { 'retry-after': '1' } })])],
  },
  captive_portal: { meets: 'Every request is answered with a page.', rules: [on('POST /mcp', [status(200, HTML)])] },
  empty_body: {
    meets: 'A call is answered with an empty JSON body.',
    rules: [on('tools/call', [status(200, { headers: JSON_TYPE })])],
  },
  invalid_json: {
    meets: 'A call is answered with half a JSON body.',
    rules: [on('tools/call', [status(200, { headers: JSON_TYPE, body: '{"jsonrpc":' })])],
  },
  accepted: { meets: 'A call is answered with 202 and no body.', rules: [on('tools/call', [status(202)])] },
  silent: { meets: 'No request is ever answered.', rules: [on('POST /mcp', [])] },
  silent_call: { meets: 'A call gets no headers.', rules: [on('tools/call', [])] },
  slow_headers: {
    meets: 'The headers of a call wait for the gate "headers".',
    rules: [on('POST /mcp', [gate('headers'), pass()], { name: 'tools/call' })],
  },
  slow_body: {
    meets: 'The answer of a call waits for the gate "body" after its headers.',
    rules: [on('tools/call', [raw(': wait\n\n'), gate('body'), answer()])],
  },
  reset_at_connect: { meets: 'initialize resets the connection.', rules: [on('initialize', [reset()])] },
  reset_in_call: { meets: 'A call resets the connection.', rules: [on('tools/call', [reset()])] },
  reset_in_stream: {
    meets: 'A call resets the connection after its first event.',
    rules: [on('tools/call', [progress(1), reset()])],
  },
  ended_stream: {
    meets: 'The stream of a call ends without an answer.',
    rules: [on('tools/call', [progress(1), drop()])],
  },
  half_event: {
    meets: 'The stream of a call ends inside the answer.',
    rules: [on('tools/call', [answer({ isHalf: true }), drop()])],
  },
  dropped_and_resumable: {
    meets: 'The stream of a call ends, and a resumed one has the answer.',
    rules: [on('tools/call', [progress(1), drop(), answer()])],
    http: { isResumable: true, retry: 1 },
  },
  noise_in_stream: {
    meets: 'Comments, unknown events and empty data around the answer.',
    rules: [on('tools/call', [raw(': keep-alive\n\nevent: x\ndata: {}\n\ndata:\n\n'), answer()])],
  },
  pieces: { meets: 'Answers in many writes.', rules: [on('*', [answer({ pieces: 20 })])] },
  wrong_id: { meets: 'The answer has another id.', rules: [on('tools/call', [answer({ id: 987_654 })])] },
  duplicate_answer: { meets: 'Each call is answered twice.', rules: [on('tools/call', [answer(), answer()])] },
  protocol_error: {
    meets: 'Each call is answered with an error of JSON-RPC.',
    rules: [on('tools/call', [failure(-32603, 'Internal error')])],
  },
  lost_session: {
    meets: 'The session is unknown from the first call on: 404.',
    rules: [on('POST /mcp', [forget(), pass()], { name: 'tools/call', nth: 1 })],
  },
  restart: {
    meets: 'The first call resets all connections and loses all sessions.',
    rules: [on('tools/call', [crash()], { nth: 1 })],
  },
  no_stream: { meets: 'GET is answered with 405.', http: { stream: false } },
  missing_stream: { meets: 'GET is answered with 404.', rules: [on('GET /mcp', [status(404)])] },
  failing_stream: { meets: 'GET is answered with 500.', rules: [on('GET /mcp', [status(500)])] },
  flapping_stream: {
    meets: 'The listening stream ends as soon as it has begun.',
    rules: [on('GET /mcp', [status(200, { headers: { 'content-type': 'text/event-stream' }, body: ': bye\n\n' })])],
  },
  no_sessions: { meets: 'There is no mcp-session-id.', http: { sessions: 'none' } },
  json_answers: { meets: 'Answers are JSON, not events.', http: { answers: 'json' } },
  redirect: {
    meets: 'POST is redirected to itself without end.',
    rules: [on('POST /mcp', [status(307, { headers: { location: '/mcp' } })])],
  },
  redirect_elsewhere: {
    meets: 'POST is redirected to another host.',
    rules: [on('POST /mcp', [status(308, { headers: { location: 'http://elsewhere.invalid/mcp' } })])],
  },
  list_storm: {
    meets: 'A thousand announcements of a changed list at once.',
    rules: [
      on(
        'notifications/initialized',
        Array.from({ length: 1000 }, () => notify('notifications/tools/list_changed')),
      ),
    ],
  },
} as const satisfies Record<string, HttpFault>;

export type HttpFaultName = keyof typeof HTTP_FAULTS;

/** The script with this fault before its own rules. */
export function withHttpFault(script: McpScript, name: HttpFaultName): McpScript {
  const fault: HttpFault = HTTP_FAULTS[name];
  return {
    ...script,
    rules: [...(fault.rules ?? []), ...(script.rules ?? [])],
    ...(fault.http && { http: { ...script.http, ...fault.http } }),
  };
}
