/** Rows of the fault table: how a stream ends, what it leaves out (T45–T53, T60, T61, T71). */

import {
  answer,
  bytes,
  call,
  dialect,
  ending,
  fault,
  finish,
  jsonAnswer,
  raw,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { expect } from 'vitest';
import { only } from './fault-case.fixture.ts';
import type { Expected, FaultCase } from './fault-case.fixture.ts';

const OK = say('fine');
const AGAIN: Expected = { text: 'fine', requests: 2, retries: 1 };
const A = { name: 'read_file', args: { path: 'a' } };
const READ = answer(call('read_file', { path: 'a' }), finish());

const again = (id: string, title: string, letters: string, step: Step): FaultCase => ({
  id,
  title,
  protocols: only(letters),
  script: [step, OK],
  expected: { ...AGAIN, sameRequest: true },
});

const blocked = (title: string, letters: string, step: Step, says: RegExp): FaultCase => ({
  id: 'T51',
  title,
  protocols: only(letters),
  script: [step, OK],
  prompts: ['one', 'two'],
  expected: { text: 'fine', requests: 2, retries: 0 },
  check({ requests }, _last, [first]) {
    expect([first!.outcome, first!.detail]).toEqual(['invalid_stream', expect.stringMatching(says)]);
    expect(JSON.stringify(requests()[1]!.body)).not.toContain('Half of it');
  },
});

const chunk = (delta: object, reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const ROWS: readonly FaultCase[] = [
  again('T45', 'an error frame after text', 'GCRAO', fault('error_frame', { status: 503 })),
  again(
    'T45',
    'an error frame after a call',
    'GCRAO',
    fault('error_frame', { after: [call('read_file', { path: 'a' })] }),
  ),
  again(
    'T45',
    'Q32: the text of a call, then an error frame',
    'CO',
    fault('error_frame', { after: [text('<tool_call>{"name":')] }),
  ),
  again(
    'T46',
    'Q24: 200 with an error as the whole body, 429',
    'C',
    jsonAnswer(200, { error: { code: 429, message: 'slow' } }),
  ),
  again(
    'T46',
    'Q24: 200 with an error as the whole body, 502',
    'CA',
    jsonAnswer(200, { error: { code: 502, message: 'bad' } }),
  ),
  again(
    'T46',
    'Q24: a chunk with finish_reason "error"',
    'C',
    answer(text('half'), raw({ ...chunk({}, 'error'), error: { code: 502, message: 'upstream' } }), ending('end')),
  ),
  again(
    'T46',
    'finish_reason "insufficient_system_resource"',
    'C',
    answer(text('half'), raw(chunk({}, 'insufficient_system_resource')), ending('end')),
  ),
  {
    id: 'T46',
    title: 'a chunk with an error that a retry would repeat',
    protocols: only('C'),
    script: [
      answer(text('half'), raw({ error: { code: 'context_length_exceeded', message: 'too long' } }), ending('end')),
    ],
    expected: { outcome: 'failed', reason: 'context_overflow', requests: 1 },
  },
  again(
    'T47',
    'HTML in the middle of the stream',
    'GCRAO',
    answer(text('half'), bytes('<html><h1>502</h1></html>\n'), ending('end')),
  ),
  again('T47', 'Q26: an empty delta, then the end', 'C', answer(raw(chunk({})), ending('end'))),
  {
    id: 'T48',
    title: 'Q21: [DONE] without a finish reason, with text',
    protocols: only('C'),
    script: [dialect(say('fine'), { quirks: { done: 'only' } })],
    expected: { text: 'fine', requests: 1, retries: 0 },
  },
  {
    id: 'T48',
    title: 'Q21: [DONE] without a finish reason, with a call',
    protocols: only('C'),
    script: [dialect(READ, { quirks: { done: 'only' } }), OK],
    expected: { text: 'fine', ran: [A], requests: 2, retries: 0 },
  },
  {
    id: 'T48',
    title: 'Q20: no [DONE]',
    protocols: only('C'),
    script: [dialect(READ, { quirks: { done: 'missing' } }), dialect(OK, { quirks: { done: 'missing' } })],
    expected: { text: 'fine', ran: [A], requests: 2, retries: 0 },
  },
  {
    id: 'T48',
    title: 'Q20: frames after [DONE] do not count',
    protocols: only('C'),
    script: [
      answer(
        raw(chunk({ content: 'fine' }, 'stop')),
        bytes('data:[DONE]\n\ndata: {"choices":[{"delta":{"content":"no"}}]}\n\n'),
      ),
    ],
    expected: { text: 'fine', requests: 1, retries: 0 },
  },
  again('T49', 'Q35: closed before response.completed', 'R', answer(thought('hm'), text('half'), ending('close'))),
  again(
    'T49',
    'Q35: ended before response.completed, after a call',
    'R',
    answer(call('read_file', { path: 'a' }), ending('end')),
  ),
  {
    id: 'T50',
    title: 'Q5: the reason says calls, and there are none',
    protocols: only('CA'),
    script: (protocol) => [
      dialect(answer(finish()), { quirks: { finishReason: protocol === 'chat' ? 'tool_calls' : 'tool_use' } }),
      OK,
    ],
    expected: AGAIN,
    check: (_scene, { retries }) => expect(retries[0]!.value?.error.reason).toBe('MALFORMED_FUNCTION_CALL'),
  },
  blocked('a filter', 'GCRA', fault('bad_finish', { reason: 'SAFETY' }), /blocked/),
  blocked(
    'a filter after half of the text',
    'CRA',
    fault('bad_finish', { reason: 'SAFETY', after: [text('Half of it')] }),
    /blocked/,
  ),
  {
    id: 'T52',
    title: 'only thoughts: once more, with a sentence',
    script: [fault('thought_only'), OK],
    expected: AGAIN,
    check({ requests }, { retries }) {
      expect(retries[0]!.value?.error.reason).toBe('THINKING_ONLY_RESPONSE');
      expect(requests()[1]!.byteLength).toBeGreaterThan(requests()[0]!.byteLength);
    },
  },
  {
    id: 'T52',
    title: 'an empty answer: once more',
    script: [answer(finish()), OK],
    expected: AGAIN,
  },
  {
    id: 'T53',
    title: 'Q54: an empty answer after results is accepted, and asked about once',
    script: [READ, answer(finish()), OK],
    expected: { text: 'fine', ran: [A], requests: 3, retries: 0 },
  },
  {
    id: 'Q33',
    title: 'another model answers',
    scene: { server: { quirks: { reportedModel: 'other-model' } } },
    protocols: only('CRAO'),
    script: [OK],
    expected: { text: 'fine' },
  },
  {
    id: 'T60',
    title: 'Q1: the server read far less than was sent',
    protocols: only('O'),
    scene: {
      access: { models: { m: { contextWindow: 65_536 } } },
      agent: { systemInstruction: 'word '.repeat(9_000) },
    },
    script: [answer(text('fine'), finish('STOP', { usage: { promptTokenCount: 4_090, candidatesTokenCount: 1 } })), OK],
    prompts: ['one', 'two'],
    expected: { text: 'fine', notices: [] },
    check({ requests }, _last, [first]) {
      expect(first!.notices).toEqual([expect.stringMatching(/num_ctx/)]);
      expect(requests()[0]!.body).toMatchObject({ truncate: false, options: { num_ctx: 65_536 } });
    },
  },
  {
    id: 'T61',
    title: 'a model without tools gets none',
    protocols: only('CRAO'),
    scene: { access: { models: { m: { tools: false } } } },
    script: [OK],
    expected: { text: 'fine' },
    check: ({ requests }) => expect(requests()[0]!.body).not.toHaveProperty('tools'),
  },
  again('T71', 'arguments of 3,000 levels', 'CRA', answer(call('read_file', deep(3_000)), finish())),
  again('T71', 'arguments of 3,000 levels', 'GO', answer(call('read_file', JSON.parse(deep(3_000))), finish())),
  again('T71', 'a frame larger than the limit', 'GCRAO', answer(text('x'.repeat(300_000)), finish())),
  {
    id: 'T71',
    title: 'keys that name the prototype',
    protocols: only('CRA'),
    script: [answer(call('read_file', '{"path":"a","__proto__":{"polluted":true}}'), finish()), OK],
    expected: { requests: 2 },
    check: () => expect(({} as { polluted?: boolean }).polluted).toBeUndefined(),
  },
  {
    id: 'T71',
    title: 'keys that name the prototype, in an object',
    protocols: only('GO'),
    script: [answer(call('read_file', JSON.parse('{"path":"a","__proto__":{"polluted":true}}')), finish()), OK],
    expected: { requests: 2 },
    check: () => expect(({} as { polluted?: boolean }).polluted).toBeUndefined(),
  },
];

export const STREAM_CASES = ROWS.map((row) =>
  row.id === 'T71' ? { ...row, scene: { wire: { maxFrameBytes: 200_000 } } } : row,
);
