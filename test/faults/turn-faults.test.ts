/**
 * One row per way a request can go wrong: how many requests the server saw, which
 * events came, and what the history holds afterwards. Real HTTP, our own clock.
 */

import { GeminiChat, Turn, createGeminiGenerator } from '@castor/core';
import type { Content, ServerGeminiStreamEvent } from '@castor/core';
import {
  answer,
  bytes,
  call,
  citation,
  createFakeClock,
  dialect,
  ending,
  fakeModel,
  fault,
  finish,
  refusedUrl,
  say,
  text,
  thought,
  together,
  usage,
} from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const PROMPT: Content = { role: 'user', parts: [{ text: 'hello' }] };
const ANSWERED: Content[] = [PROMPT, { role: 'model', parts: [{ text: 'fine' }] }];
const OK = say('fine');
const TIMEOUTS = { headersTimeoutMs: 60, idleTimeoutMs: 60 };

interface Row {
  fault: string;
  script: Step[];
  requests: number;
  events: string[];
  history: Content[];
  /** What was waited for between attempts, where the row is about that. */
  sleeps?: (sleeps: readonly number[]) => boolean;
  timeouts?: Partial<typeof TIMEOUTS>;
}

const RETRIED = { requests: 2, history: ANSWERED };
const GONE = { history: [] as Content[] };
const again = (shown: string[]) => [...shown, 'retry', 'content:fine', 'finished:STOP'];
const four = (step: Step) => Array.from({ length: 4 }, () => step);
const times = (count: number, events: string[]) => Array.from({ length: count }, () => events).flat();
const HALF = ['content:frame 1 '];

const ROWS: Row[] = [
  { fault: 'reset before headers', script: [fault('reset_before_headers'), OK], events: again([]), ...RETRIED },
  { fault: 'reset mid-stream', script: [fault('reset_mid_stream'), OK], events: again(HALF), ...RETRIED },
  { fault: 'close mid-stream', script: [fault('close_mid_stream'), OK], events: again(HALF), ...RETRIED },
  {
    fault: 'reset after a call',
    script: [fault('reset_mid_stream', { after: [call('rm', {})] }), OK],
    events: again([]),
    ...RETRIED,
  },
  {
    fault: 'clean end without finish reason',
    script: [fault('end_without_finish'), OK],
    events: again(HALF),
    ...RETRIED,
  },
  {
    fault: 'clean end after a call',
    script: [answer(call('rm', {}), ending('end')), OK],
    events: again([]),
    ...RETRIED,
  },
  { fault: 'empty body', script: [fault('empty_body'), OK], events: again([]), ...RETRIED },
  { fault: 'malformed JSON frame', script: [fault('malformed_json_frame'), OK], events: again(HALF), ...RETRIED },
  { fault: 'half a frame', script: [fault('half_frame_then_end'), OK], events: again(HALF), ...RETRIED },
  { fault: 'truncated encoding', script: [fault('truncated_encoding'), OK], events: again(HALF), ...RETRIED },
  {
    fault: 'corrupt encoding',
    script: [fault('corrupt_encoding', { after: [] }), OK],
    events: again([]),
    ...RETRIED,
  },
  {
    fault: 'an encoding that was not asked for',
    script: [dialect(OK, { encoding: 'gzip' })],
    requests: 1,
    events: ['content:fine', 'finished:STOP'],
    history: ANSWERED,
  },
  { fault: 'error frame 503', script: [fault('error_frame'), OK], events: again(HALF), ...RETRIED },
  { fault: 'bare error object 503', script: [fault('bare_error_object'), OK], events: again(HALF), ...RETRIED },
  {
    fault: 'error frame 400',
    script: [fault('error_frame', { status: 400 })],
    requests: 1,
    events: [...HALF, 'error:invalid_request:400'],
    ...GONE,
  },
  {
    fault: 'error frame 401',
    script: [fault('error_frame', { status: 401 })],
    requests: 1,
    events: [...HALF, 'thrown:UnauthorizedError'],
    ...GONE,
  },
  {
    fault: 'error frame 429 with RetryInfo',
    script: [fault('error_frame', { status: 429, retryDelay: '9s' }), OK],
    events: again(HALF),
    ...RETRIED,
    sleeps: ([ms = 0]) => ms >= 9000 && ms <= 10_800,
  },
  {
    fault: 'stall before headers',
    script: [fault('stall_before_headers'), OK],
    events: again([]),
    ...RETRIED,
    timeouts: { headersTimeoutMs: 60 },
  },
  {
    fault: 'stall mid-stream',
    script: [fault('stall_mid_stream'), OK],
    events: again(HALF),
    ...RETRIED,
    timeouts: { idleTimeoutMs: 60 },
  },
  {
    fault: 'split at each byte',
    script: [fault('split_every_byte')],
    requests: 1,
    events: ['content:héllo 🦫', 'finished:STOP'],
    history: [PROMPT, { role: 'model', parts: [{ text: 'héllo 🦫' }] }],
  },
  { fault: '400', script: [fault(400)], requests: 1, events: ['error:invalid_request:400'], ...GONE },
  { fault: '401', script: [fault(401)], requests: 1, events: ['thrown:UnauthorizedError'], ...GONE },
  { fault: '403', script: [fault(403)], requests: 1, events: ['error:forbidden:403'], ...GONE },
  { fault: '404', script: [fault(404)], requests: 1, events: ['error:not_found:404'], ...GONE },
  { fault: '413', script: [fault(413)], requests: 1, events: ['error:context_overflow:413'], ...GONE },
  {
    fault: '429 without details',
    script: [fault(429), OK],
    events: again([]),
    ...RETRIED,
    sleeps: ([ms = 0]) => ms >= 3500 && ms <= 6500,
  },
  {
    fault: '429 with RetryInfo',
    script: [fault(429, { retryDelay: '7s' }), OK],
    events: again([]),
    ...RETRIED,
    sleeps: ([ms = 0]) => ms >= 7000 && ms <= 8400,
  },
  {
    fault: '429 with Retry-After',
    script: [fault(429, { retryAfter: 3 }), OK],
    events: again([]),
    ...RETRIED,
    sleeps: ([ms = 0]) => ms >= 3000 && ms <= 3600,
  },
  {
    fault: '429 per day',
    script: [fault(429, { quotaId: 'GenerateRequestsPerDayPerProject' })],
    requests: 1,
    events: ['error:quota:429'],
    ...GONE,
  },
  {
    fault: '429 that asks for ten minutes',
    script: [fault(429, { retryDelay: '600s' })],
    requests: 1,
    events: ['error:quota:429'],
    ...GONE,
  },
  {
    fault: '429 with a limit of nothing',
    script: [fault(429, { message: 'Quota exceeded for metric: requests, limit: 0, model: x' })],
    requests: 1,
    events: ['error:quota:429'],
    ...GONE,
  },
  {
    fault: 'silence, whenever it is asked',
    script: four(fault('stall_before_headers')),
    requests: 4,
    events: [...times(3, ['retry']), 'error:timeout'],
    ...GONE,
    timeouts: { headersTimeoutMs: 60 },
  },
  {
    fault: '429 that never ends',
    script: Array.from({ length: 10 }, () => fault(429)),
    requests: 10,
    events: [...times(9, ['retry']), 'error:rate_limited:429'],
    ...GONE,
  },
  { fault: '500', script: [fault(500), OK], events: again([]), ...RETRIED },
  { fault: '503', script: [fault(503), OK], events: again([]), ...RETRIED },
  { fault: '504', script: [fault(504), OK], events: again([]), ...RETRIED },
  { fault: 'HTML body', script: [fault('html_body'), OK], events: again([]), ...RETRIED },
  { fault: 'no body', script: [fault('no_body'), OK], events: again([]), ...RETRIED },
  {
    fault: 'redirect to another origin',
    script: [fault('redirect')],
    requests: 1,
    events: ['error:invalid_request:302'],
    ...GONE,
  },
  {
    fault: 'empty candidates, four times',
    script: four(fault('empty_candidates')),
    requests: 4,
    events: [...times(3, ['retry']), 'invalid_stream:NO_FINISH_REASON'],
    ...GONE,
    sleeps: (ms) => ms.join() === '1000,2000,4000',
  },
  { fault: 'empty answer, then one', script: [fault('empty_answer'), OK], events: again([]), ...RETRIED },
  {
    fault: 'prompt blocked',
    script: [fault('prompt_blocked')],
    requests: 1,
    events: ['invalid_stream:SAFETY_BLOCKED'],
    ...GONE,
  },
  {
    fault: 'SAFETY',
    script: [fault('bad_finish', { reason: 'SAFETY' })],
    requests: 1,
    events: ['invalid_stream:SAFETY_BLOCKED'],
    ...GONE,
  },
  {
    fault: 'RECITATION',
    script: [fault('bad_finish', { reason: 'RECITATION' })],
    requests: 1,
    events: ['invalid_stream:RECITATION_BLOCKED'],
    ...GONE,
  },
  ...(['BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'] as const).map((reason) => ({
    fault: reason,
    script: [fault('bad_finish', { reason })],
    requests: 1,
    events: ['invalid_stream:OTHER_BLOCKED'],
    ...GONE,
  })),
  ...(['RECITATION', 'OTHER', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'] as const).map((reason) => ({
    fault: `${reason} after text`,
    script: [answer(text('fine'), finish(reason))],
    requests: 1,
    events: ['content:fine', `finished:${reason}`],
    history: ANSWERED,
  })),
  {
    fault: 'MALFORMED_FUNCTION_CALL after text, then an answer',
    script: [fault('bad_finish', { reason: 'MALFORMED_FUNCTION_CALL', after: 1 }), OK],
    events: again(HALF),
    ...RETRIED,
  },
  {
    fault: 'OTHER, then an answer',
    script: [fault('bad_finish', { reason: 'OTHER' }), OK],
    events: again([]),
    ...RETRIED,
  },
  {
    fault: 'MAX_TOKENS without text',
    script: four(fault('bad_finish', { reason: 'MAX_TOKENS' })),
    requests: 4,
    events: [...times(3, ['retry']), 'invalid_stream:MAX_TOKENS_EXCEEDED'],
    ...GONE,
  },
  {
    fault: 'MALFORMED_FUNCTION_CALL',
    script: four(fault('bad_finish', { reason: 'MALFORMED_FUNCTION_CALL' })),
    requests: 4,
    events: [...times(3, ['retry']), 'invalid_stream:MALFORMED_FUNCTION_CALL'],
    ...GONE,
  },
  {
    fault: 'UNEXPECTED_TOOL_CALL, then an answer',
    script: [fault('bad_finish', { reason: 'UNEXPECTED_TOOL_CALL' }), OK],
    events: again([]),
    ...RETRIED,
  },
  {
    fault: 'SAFETY after text',
    script: [answer(text('fine'), finish('SAFETY'))],
    requests: 1,
    events: ['content:fine', 'finished:SAFETY'],
    history: ANSWERED,
  },
  {
    fault: 'MAX_TOKENS after text',
    script: [answer(text('fine'), finish('MAX_TOKENS'))],
    requests: 1,
    events: ['content:fine', 'finished:MAX_TOKENS'],
    history: ANSWERED,
  },
  { fault: 'thought only', script: [fault('thought_only'), OK], events: again(['thought:Pondering']), ...RETRIED },
  {
    fault: 'thoughts of a failed attempt',
    script: [answer(thought('**A** b'), text('x'), ending('reset')), OK],
    events: again(['thought:A', 'content:x']),
    ...RETRIED,
  },
  {
    fault: 'the end said in every frame, and more after it',
    script: [
      answer(
        together(text('fi'), finish('STOP', { usage: null })),
        together(text('ne'), finish()),
        together(call('look', {}, { id: '1' }), citation('u')),
        usage({ totalTokenCount: 7 }),
      ),
    ],
    requests: 1,
    events: ['content:fi', 'content:ne', 'tool_call_request:look', 'citation', 'finished:STOP'],
    history: [
      PROMPT,
      { role: 'model', parts: [{ text: 'fine' }, { functionCall: { id: '1', name: 'look', args: {} } }] },
    ],
  },
  {
    fault: "another dialect's mark at the end",
    script: [answer(text('fine'), finish(), bytes('data: [DONE]\n\n'), ending('end'))],
    requests: 1,
    events: ['content:fine', 'finished:STOP'],
    history: ANSWERED,
  },
  {
    fault: 'that mark instead of an end',
    script: [answer(text('frame 1 '), bytes('data: [DONE]\n\n'), ending('end')), OK],
    events: again(HALF),
    ...RETRIED,
  },
  ...(
    [
      ['no_name', 'undefined_tool_name', { path: 'a' }],
      ['empty_name', 'undefined_tool_name', {}],
      ['empty', 'undefined_tool_name', {}],
      ['args_not_object', 'read_file', {}],
      ['args_array', 'read_file', {}],
    ] as const
  ).map(([shape, name, args]) => ({
    fault: `malformed call: ${shape}`,
    script: [fault('malformed_call', { shape })],
    requests: 1,
    events: [`tool_call_request:${name}`, 'finished:STOP'],
    history: [PROMPT, { role: 'model', parts: [{ functionCall: { id: expect.any(String) as string, name, args } }] }],
  })),
];

describe('a turn against a faulty service', () => {
  it.each(ROWS)('$fault', async ({ script, requests, events, history, sleeps, timeouts }) => {
    await using model = await fakeModel(script);
    const { seen, chat, clock } = await run(model.url, timeouts);
    expect({ requests: model.requests.length, events: seen, history: chat.getHistory() }).toEqual({
      requests,
      events,
      history,
    });
    if (sleeps) expect(clock.sleeps, `waits: ${clock.sleeps.join()}`).toSatisfy(sleeps);
    model.assertDone();
  });

  it.each([
    ['connection refused', refusedUrl],
    ['a name that does not exist', async () => 'http://castor.invalid'],
  ])('%s by a service that never answered is said within seconds', async (_, url) => {
    const { seen, chat, clock } = await run(await url());
    expect({ events: seen, history: chat.getHistory(), waits: clock.sleeps }).toEqual({
      events: [...times(3, ['retry']), 'error:network'],
      history: [],
      waits: [1_000, 2_000, 4_000],
    });
  });

  it('connection refused by a service that has answered before is waited out', async () => {
    const model = await fakeModel([OK]);
    const { chat, clock } = await run(model.url);
    await model.close();
    const seen: string[] = [];
    for await (const event of new Turn(chat, 'p', { clock }).run('again', new AbortController().signal)) {
      seen.push(toWord(event));
    }
    expect({ seen, history: chat.getHistory() }).toEqual({
      seen: [...times(9, ['retry']), 'error:network'],
      history: ANSWERED,
    });
  });

  it('never makes more requests in one send than the limit, whatever mix of faults it meets', async () => {
    const mix = [
      fault('reset_before_headers'),
      fault(503),
      fault('reset_mid_stream'),
      fault(429),
      fault('end_without_finish'),
      fault(500),
      fault('thought_only'),
      fault(503),
      fault(503),
      fault(503),
    ];
    await using model = await fakeModel(mix, { repeatLast: true });
    const { seen } = await run(model.url);
    expect([model.requests.length, seen.at(-1)]).toEqual([10, 'error:server:503']);
  });
});

async function run(url: string, timeouts: Row['timeouts'] = {}) {
  const clock = createFakeClock();
  const generator = createGeminiGenerator({ baseUrl: url, apiKey: 'test', ...timeouts });
  const chat = new GeminiChat({ generator, model: 'gemini-2.5-flash', clock });
  const seen: string[] = [];
  try {
    for await (const event of new Turn(chat, 'p', { clock }).run('hello', new AbortController().signal)) {
      seen.push(toWord(event));
    }
  } catch (error) {
    seen.push(`thrown:${(error as Error).name}`);
  }
  return { seen, chat, clock };
}

/** An event in a word, with the part of its value the rows are about. */
function toWord(event: ServerGeminiStreamEvent): string {
  switch (event.type) {
    case 'content':
      return `content:${event.value}`;
    case 'thought':
      return `thought:${event.value.subject}`;
    case 'tool_call_request':
      return `tool_call_request:${event.value.name}`;
    case 'finished':
      return `finished:${event.value.reason}`;
    case 'invalid_stream':
      return `invalid_stream:${event.value.type}`;
    case 'error': {
      const { reason, status } = event.value.error;
      return ['error', reason, status].filter((word) => word !== undefined).join(':');
    }
    default:
      return event.type;
  }
}
