/** Every way in which a server over stdio fails, by name, for tables of tests: what the client meets, and the rules. */

import {
  answer,
  closeStream,
  crash,
  delay,
  gate,
  grandchild,
  on,
  raw,
  rawBytes,
  send,
  stderr,
  untilCancelled,
} from './actions.ts';
import type { McpProcess, McpRule, McpScript } from './script.ts';

interface StdioFault {
  readonly meets: string;
  readonly rules?: readonly McpRule[];
  readonly process?: McpProcess;
}

const UNKNOWN_ID = send({ jsonrpc: '2.0', id: 'never-asked', result: { content: [{ type: 'text', text: 'forged' }] } });

export const STDIO_FAULTS = {
  crash_at_start: {
    meets: 'The process ends at once with code 1.',
    rules: [on('start', [stderr('no port\n'), crash()])],
  },
  crash_at_first_start: { meets: 'Only the first start fails.', rules: [on('start', [crash()], { start: 1 })] },
  held_start: { meets: 'The process reads nothing before the gate "start".', rules: [on('start', [gate('start')])] },
  slow_start: { meets: 'The process reads nothing for 2 s.', rules: [on('start', [delay(2000)])] },
  silent: { meets: 'No message is ever answered.', rules: [on('*', [])] },
  silent_initialize: { meets: 'initialize is never answered.', rules: [on('initialize', [])] },
  silent_list: { meets: 'tools/list is never answered.', rules: [on('tools/list', [])] },
  silent_call: { meets: 'A call is never answered.', rules: [on('tools/call', [untilCancelled()])] },
  crash_in_initialize: { meets: 'The process ends instead of an answer.', rules: [on('initialize', [crash()])] },
  crash_in_list: { meets: 'The process ends while it lists.', rules: [on('tools/list', [crash()])] },
  crash_in_call: { meets: 'The process ends in every call.', rules: [on('tools/call', [crash()])] },
  crash_in_first_call: {
    meets: 'Only the first call ends the process.',
    rules: [on('tools/call', [crash()], { nth: 1, start: 1 })],
  },
  crash_after_call: { meets: 'The process ends after its answer.', rules: [on('tools/call', [answer(), crash()])] },
  killed_in_call: { meets: 'A signal ends the process.', rules: [on('tools/call', [crash({ signal: 'SIGKILL' })])] },
  half_answer_then_crash: {
    meets: 'The answer breaks off.',
    rules: [on('tools/call', [answer({ isHalf: true }), crash()])],
  },
  noise_before_start: { meets: 'Banners on stdout.', rules: [on('start', [raw('Server v1 listening\n\n> ready\n')])] },
  noise_between: {
    meets: 'Log lines between messages.',
    rules: [on('*', [raw('[info] a request\n'), answer(), raw('done\n')])],
  },
  noise_on_line: {
    meets: 'A log prefix on the line of the answer.',
    rules: [on('tools/call', [answer({ prefix: 'log: ' })])],
  },
  noise_binary: {
    meets: 'Bytes that are no UTF-8.',
    rules: [on('start', [rawBytes(Buffer.from([0xff, 0xfe, 0, 10]))])],
  },
  noise_without_end: {
    meets: 'Noise without a line end, then the answer.',
    rules: [on('tools/call', [raw('working...'), answer()])],
  },
  json_noise: {
    meets: 'Lines of JSON that are not messages.',
    rules: [on('*', [raw('{"level":"info"}\n[]\n42\nnull\n'), answer()])],
  },
  stderr_flood: {
    meets: 'Two megabytes on stderr before each answer.',
    rules: [on('*', [stderr(`${'e'.repeat(99)}\n`, 20_000), answer()])],
  },
  pieces: { meets: 'Answers in many writes.', rules: [on('*', [answer({ pieces: 20 })])] },
  half_line: { meets: 'Half an answer, then silence.', rules: [on('tools/call', [answer({ isHalf: true })])] },
  huge_line: { meets: 'An answer of 20 MB on one line.', rules: [on('tools/call', [answer({ padding: 20_000_000 })])] },
  endless_line: {
    meets: 'A line of 20 MB that is no JSON.',
    rules: [on('tools/call', [raw('x'.repeat(1000), 20_000), raw('\n'), answer()])],
  },
  crlf: { meets: 'Lines end with CRLF.', rules: [on('*', [answer({ lineEnd: '\r\n' })])] },
  invalid_json: { meets: 'The answer is no JSON.', rules: [on('tools/call', [raw('{"jsonrpc":"2.0","id":\n')])] },
  invalid_result: { meets: 'The result is not an object.', rules: [on('tools/call', [answer({ result: 42 })])] },
  invalid_list: {
    meets: 'The list of tools is not a list.',
    rules: [on('tools/list', [answer({ result: { tools: 'none' } })])],
  },
  wrong_id: { meets: 'The answer has another id.', rules: [on('tools/call', [answer({ id: 987_654 })])] },
  null_id: { meets: 'The answer has the id null.', rules: [on('tools/call', [answer({ id: null })])] },
  duplicate_answer: { meets: 'Each call is answered twice.', rules: [on('tools/call', [answer(), answer()])] },
  unknown_answer: {
    meets: 'An answer to an unknown id comes first.',
    rules: [on('tools/call', [UNKNOWN_ID, answer()])],
  },
  unknown_method: {
    meets: 'The server sends an unknown request and an unknown notification.',
    rules: [
      on('notifications/initialized', [
        send({ jsonrpc: '2.0', id: 'q', method: 'x/unknown' }),
        send({ jsonrpc: '2.0', method: 'notifications/unknown' }),
      ]),
    ],
  },
  late_answer: {
    meets: 'A cancelled call is answered all the same.',
    rules: [on('tools/call', [untilCancelled(), answer({ isLate: true })])],
  },
  unsupported_version: {
    meets: 'initialize answers with an unknown version.',
    rules: [
      on('initialize', [
        answer({
          result: { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '0' } },
        }),
      ]),
    ],
  },
  closed_stdin: {
    meets: 'The server reads no more after initialize.',
    rules: [on('notifications/initialized', [closeStream('stdin')])],
  },
  closed_stdout: {
    meets: 'The server writes no more after initialize.',
    rules: [on('notifications/initialized', [closeStream('stdout')])],
  },
  ignores_sigterm: {
    meets: 'Only SIGKILL ends the process.',
    process: { ignores: ['SIGTERM', 'SIGINT', 'SIGHUP'], ignoresStdinEnd: true },
  },
  grandchild: { meets: 'A process below keeps the pipes open.', rules: [on('start', [grandchild()])] },
  stubborn_grandchild: {
    meets: 'A process below ignores SIGTERM.',
    rules: [on('start', [grandchild({ ignores: ['SIGTERM', 'SIGHUP'] })])],
  },
  detached_grandchild: {
    meets: 'A process below has a group of its own.',
    rules: [on('start', [grandchild({ isDetached: true })])],
  },
} as const satisfies Record<string, StdioFault>;

export type StdioFaultName = keyof typeof STDIO_FAULTS;

/** The script with this fault before its own rules. */
export function withFault(script: McpScript, name: StdioFaultName): McpScript {
  const fault: StdioFault = STDIO_FAULTS[name];
  return {
    ...script,
    rules: [...(fault.rules ?? []), ...(script.rules ?? [])],
    ...(fault.process && { process: { ...script.process, ...fault.process } }),
  };
}
