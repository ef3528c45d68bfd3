/** Rows of the fault table: every way the wire itself fails or is written otherwise, over every protocol. */

import {
  answer,
  BODY_ENCODINGS,
  call,
  dialect,
  DIALECTS,
  ending,
  fault,
  finish,
  raw,
  say,
  text,
} from '@castor/testkit';
import type { ErrorStatus, FaultName, Step } from '@castor/testkit';
import { expect } from 'vitest';
import type { FaultCase } from './fault-case.fixture.ts';
import { only } from './fault-case.fixture.ts';
import { wholeAnswer } from './whole-answer.fixture.ts';

const OK = say('fine');
const ODD = 'héllo 🦫 "quoted" \\ <b> \u2028 end';
const AGAIN = { text: 'fine', requests: 2, retries: 1, sameRequest: true };
const READ = { name: 'read_file', args: { path: 'a' } };
/** An answer with everything that a reader holds between frames. */
const RICH = answer(text('I read.'), call('read_file', { path: 'a' }, { id: 'call_1' }), finish());

const broken = (title: string, step: Step): FaultCase => ({
  id: 'wire',
  title,
  script: [step, OK],
  expected: AGAIN,
});

const BROKEN: readonly FaultName[] = [
  'reset_before_headers',
  'reset_mid_stream',
  'close_mid_stream',
  'end_without_finish',
  'empty_body',
  'html_body',
  'no_body',
  'truncated_encoding',
  'corrupt_encoding',
  'malformed_json_frame',
  'half_frame_then_end',
  'error_frame',
  'bare_error_object',
];
const TRANSIENT: readonly ErrorStatus[] = [408, 429, 500, 502, 503, 504, 529];

export const WIRE_CASES: readonly FaultCase[] = [
  ...BROKEN.map((name) => broken(name.replaceAll('_', ' '), fault(name))),
  ...TRANSIENT.map((status) => broken(`status ${status}`, fault(status))),
  { ...broken('status 409', fault(409)), protocols: only('CRAO') },
  broken('a call, then a reset', answer(call('read_file', { path: 'a' }), ending('reset'))),
  broken('a call, then the end without a finish', answer(call('read_file', { path: 'a' }), ending('end'))),
  broken('status 200 as HTML', htmlOk()),
  ...[3, 7, { seed: 3 }].map((chunking): FaultCase => ({
    id: 'wire',
    title: `an answer cut into chunks of ${JSON.stringify(chunking)}`,
    script: [dialect(RICH, { chunking }), dialect(say([ODD]), { chunking })],
    expected: { text: `I read.${ODD}`, ran: [READ], requests: 2, retries: 0 },
  })),
  ...BODY_ENCODINGS.map((encoding): FaultCase => ({
    id: 'wire',
    title: `an answer in ${encoding} that was not asked for`,
    script: [dialect(RICH, { encoding }), dialect(say([ODD]), { encoding, chunking: 5 })],
    expected: { text: `I read.${ODD}`, ran: [READ], requests: 2, retries: 0 },
  })),
  ...Object.entries(DIALECTS).map(([name, form]): FaultCase => ({
    id: 'wire',
    title: `events in the dialect ${name}`,
    protocols: only('GCRA'),
    script: [dialect(RICH, form), dialect(say([ODD]), form)],
    expected: { text: `I read.${ODD}`, ran: [READ], requests: 2, retries: 0 },
  })),
  {
    id: 'wire',
    title: 'a frame of a type that is not known',
    script: [answer(raw({ type: 'response.unheard_of', object: 'thing', event: 'x' }), text('fine'), finish())],
    expected: { text: 'fine', requests: 1 },
  },
  {
    id: 'wire',
    title: 'one whole JSON answer where a stream was asked for',
    script: (protocol) => [
      wholeAnswer(protocol, { text: 'I read. ', call: READ }),
      wholeAnswer(protocol, { text: 'fine' }),
    ],
    expected: { text: 'I read. fine', ran: [READ], requests: 2, retries: 0 },
    check(_scene, { events }) {
      const finished = events.filter((event) => event.type === 'finished');
      const counted = { usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7 } };
      expect(finished.map(({ value }) => value)).toMatchObject([counted, counted]);
    },
  },
  {
    id: 'wire',
    title: 'a redirect is not followed',
    script: [fault('redirect')],
    expected: { outcome: 'failed', reason: 'invalid_request', requests: 1, says: /redirect to http:\/\/elsewhere/ },
  },
  {
    id: 'wire',
    title: 'ten failures end the prompt with the words of the last',
    script: Array.from({ length: 10 }, () => fault(500)),
    expected: { outcome: 'failed', reason: 'server', requests: 10 },
  },
];

function htmlOk(): Step {
  return fault('html_body', { status: 200 });
}
