/** Rows of the fault table: texts and calls, however a server cuts, numbers and repeats them (T1–T11, T26, T27, T63). */

import { answer, call, dialect, finish, raw, say, text, together } from '@castor/testkit';
import type { Content } from '@castor/core';
import type { Quirks, Step } from '@castor/testkit';
import { expect } from 'vitest';
import type { FaultCase } from './fault-case.fixture.ts';
import { only } from './fault-case.fixture.ts';
import { IMAGE } from './scene.fixture.ts';
import { checkPairs, inPieces, lastSent } from './sent-pairs.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';

const ODD = 'Grüße 🦫👩‍👩‍👧 "x" \\n </think> {"a":1} <tool_call>';
const PATH = { path: 'a "b" } \\ {ü🦫}\n' };
const A = { name: 'read_file', args: { path: 'a' } };
const B = { name: 'read_file', args: { path: 'b' } };
const DONE = say('done');

const shown = (title: string, step: Step): FaultCase => ({
  id: 'T1',
  title,
  script: [step],
  expected: { text: ODD, requests: 1, retries: 0 },
});

/** Two calls of one turn, written with a quirk of Chat Completions. */
const twoCalls = (id: string, title: string, quirks: Quirks): FaultCase => ({
  id,
  title,
  protocols: only('C'),
  script: [
    dialect(
      answer(call('read_file', { path: 'a' }, { id: 'c1' }), call('read_file', { path: 'b' }, { id: 'c2' }), finish()),
      { quirks },
    ),
    DONE,
  ],
  expected: { text: 'done', ran: [A, B], requests: 2, retries: 0 },
  check: checkPairs,
});

export const CALL_CASES: readonly FaultCase[] = [
  shown('text in one piece', say(ODD)),
  shown('text in fifty pieces', say(inPieces(ODD, 1).slice(0, 49).concat(inPieces(ODD, 1).slice(49).join('')))),
  shown('text in pieces of one code unit, an emoji in halves', say(ODD.split(''))),
  shown('text in chunks of one byte', dialect(say(ODD), { chunking: 1 })),
  {
    id: 'T2',
    title: 'two calls whose results come in another order',
    script: [answer(together(call('slow'), call('quick')), finish()), DONE],
    expected: { text: 'done', requests: 2 },
    check(scene) {
      expect(scene.ran.map(({ name }) => name)).toEqual(['quick', 'slow']);
      checkPairs(scene);
      expect(lastSent(scene).results.map(({ text: words }) => /slow|quick/.exec(words)?.[0])).toEqual([
        'slow',
        'quick',
      ]);
    },
  },
  {
    id: 'T3',
    title: 'arguments in pieces of one character',
    script: [dialect(answer(call('read_file', PATH), finish()), { quirks: { argumentPieces: 1 } }), DONE],
    expected: { text: 'done', ran: [{ name: 'read_file', args: PATH }] },
    check: (scene) => expect(lastSent(scene).calls[0]!.args).toEqual(PATH),
  },
  twoCalls('T4', 'index 0 twice, object arguments, stop', {
    indexes: 'zero',
    argumentsAs: 'object',
    finishReason: 'stop',
  }),
  twoCalls('T5', 'Q4: stop after calls', { finishReason: 'stop' }),
  twoCalls('T5', 'Q9: the name in each fragment', { names: 'repeated', argumentPieces: 3 }),
  twoCalls('T5', 'Q9: the name in pieces', { names: 'pieces', argumentPieces: 3 }),
  twoCalls('T5', 'Q10: no ids', { ids: 'none' }),
  twoCalls('T5', 'Q10: empty ids', { ids: 'empty', argumentPieces: 4 }),
  twoCalls('T5', 'Q10: the same id for all', { ids: 'same' }),
  twoCalls('T5', 'Q10: the id in every fragment', { ids: 'every', argumentPieces: 2 }),
  twoCalls('T5', 'Q11: no index', { indexes: 'none', argumentsAs: 'whole' }),
  twoCalls('T5', 'Q11: a null index', { indexes: 'null', argumentsAs: 'whole' }),
  twoCalls('T5', 'Q12: the id last', { ids: 'late', argumentPieces: 3 }),
  twoCalls('T5', 'Q13: fragments that alternate', { interleavedCalls: true, argumentPieces: 2 }),
  twoCalls('T5', 'Q3: whole calls at index 0', { indexes: 'zero', argumentsAs: 'whole' }),
  twoCalls('T5', 'index 0 for all, in pieces', { indexes: 'zero', argumentPieces: 2 }),
  {
    id: 'T5',
    title: 'Q14: two objects under one index',
    protocols: only('C'),
    script: [answer(call('read_file', '{"path":"a"}{"path":"b"}', { id: 'c1' }), finish()), DONE],
    expected: { text: 'done', ran: [A, B] },
    check: checkPairs,
  },
  {
    id: 'T5',
    title: 'Q10: the same id in two turns',
    script: [
      answer(call('read_file', { path: 'a' }, { id: 'call_0' }), finish()),
      answer(call('read_file', { path: 'b' }, { id: 'call_0' }), finish()),
      DONE,
    ],
    expected: { text: 'done', ran: [A, B], requests: 3 },
    check: checkPairs,
  },
  {
    id: 'T6',
    title: 'a call with an empty object',
    script: [answer(call('list_files', {}), finish()), DONE],
    expected: { text: 'done', ran: [{ name: 'list_files', args: {} }] },
    check: (scene) => expect(lastSent(scene).calls[0]!.args ?? {}).toEqual({}),
  },
  {
    id: 'T6',
    title: 'Q7: a call without arguments',
    script: [dialect(answer(call('list_files'), finish()), { quirks: { argumentsAs: 'omitted' } }), DONE],
    expected: { text: 'done', ran: [{ name: 'list_files', args: {} }] },
    check: (scene) => expect(lastSent(scene).calls[0]!.args ?? {}).toEqual({}),
  },
  {
    id: 'T6',
    title: 'arguments "null"',
    protocols: only('CRA'),
    script: [answer(call('list_files', 'null'), finish()), DONE],
    expected: { text: 'done', ran: [{ name: 'list_files', args: {} }] },
  },
  {
    id: 'T7',
    title: 'arguments that are not JSON',
    protocols: only('CRAO'),
    script: [
      answer(text('I read.'), call('read_file', '{"path": "a'), finish()),
      answer(call(A.name, A.args), finish()),
      DONE,
    ],
    expected: { text: 'done', ran: [A], requests: 3, retries: 1 },
    check: ({ requests }) => expect(JSON.stringify(requests()[1]!.body)).toBe(JSON.stringify(requests()[0]!.body)),
  },
  {
    id: 'T7',
    title: 'a call that the service calls malformed',
    protocols: only('G'),
    script: [answer(text('I read.'), finish('MALFORMED_FUNCTION_CALL')), answer(call(A.name, A.args), finish()), DONE],
    expected: { text: 'done', ran: [A], requests: 3, retries: 1 },
  },
  {
    id: 'T7',
    title: 'arguments that are a list',
    protocols: only('CRAO'),
    script: [answer(call('read_file', '["a"]'), finish()), answer(call(A.name, A.args), finish()), DONE],
    expected: { text: 'done', ran: [A], requests: 3, retries: 1 },
  },
  {
    id: 'T8',
    title: 'Q8: arguments that the limit cut',
    protocols: only('CRAO'),
    script: [answer(text('I write.'), call('read_file', '{"path": "a'), finish('MAX_TOKENS')), DONE],
    prompts: ['go', 'and?'],
    expected: { text: 'done', ran: [], requests: 2, retries: 0 },
    check: (scene) => expect(lastSent(scene)).toMatchObject({ calls: [], modelTexts: ['I write.'] }),
  },
  {
    id: 'T9',
    title: 'a tool that was not declared',
    script: [answer(call('fly_away', { to: 'moon' }), finish()), DONE],
    expected: { text: 'done', ran: [], requests: 2 },
    check(scene) {
      checkPairs(scene);
      expect(lastSent(scene).results[0]!.text).toMatch(/fly_away/);
    },
  },
  {
    id: 'T10',
    title: 'a name with spaces and dots',
    script: [answer(call('files.read now!', { path: 'a' }), finish()), DONE],
    expected: { text: 'done', ran: [], requests: 2 },
    check(scene) {
      checkPairs(scene);
      expect(lastSent(scene).calls[0]!.name).toMatch(scene.protocol === 'gemini' ? /^[\w.:-]+$/ : /^[\w-]{1,64}$/);
    },
  },
  {
    id: 'T11',
    title: 'text, a call and text',
    script: [answer(text('before '), call('read_file', { path: 'a' }), text('after'), finish()), DONE],
    expected: { text: 'before afterdone', ran: [A] },
    check: (scene) => expect(lastSent(scene).modelTexts.join('')).toBe('before after'),
  },
  {
    id: 'T26',
    title: 'an image in a result, for a model that sees',
    script: [answer(call('look'), finish()), DONE],
    scene: { access: { models: { m: { images: true, mediaInResponses: true } } } },
    expected: { text: 'done' },
    check(scene) {
      checkPairs(scene);
      expect(lastSent(scene).json).toContain(IMAGE);
    },
  },
  {
    id: 'T26',
    title: 'an image in a result, beside it',
    script: [answer(call('look'), finish()), DONE],
    scene: { access: { models: { m: { images: true, mediaInResponses: false } } } },
    expected: { text: 'done' },
    check(scene) {
      checkPairs(scene);
      expect(lastSent(scene).json).toContain(IMAGE);
    },
  },
  {
    id: 'T27',
    title: 'an image in a result, for a blind model',
    script: [answer(call('look'), finish()), DONE],
    protocols: only('CRAO'),
    scene: { access: { models: { m: { images: false } } } },
    expected: { text: 'done' },
    check(scene) {
      expect(lastSent(scene).json).not.toContain(IMAGE);
      expect(lastSent(scene).json).toMatch(/image\/png.*cannot be sent/);
    },
  },
  {
    id: 'T63',
    title: 'two hundred calls: the prefix of a request is the last request',
    script: [
      ...Array.from({ length: 6 }, (_, index) => answer(call('read_file', { path: `f${index}` }), finish())),
      DONE,
    ],
    scene: { agent: { history: manyCalls(194) } },
    expected: { text: 'done', requests: 7 },
    check(scene) {
      const turns = scene.requests().map((request) => plainTurns(sentIn(scene.protocol, request).turns));
      for (const [index, sent] of turns.entries()) {
        const before = turns[index - 1] ?? '';
        expect(sent.startsWith(before)).toBe(true);
      }
      expect(lastSent(scene).calls).toHaveLength(200);
      const marks = JSON.stringify(scene.requests().at(-1)!.body).split('"cache_control"').length - 1;
      expect(marks).toBeLessThanOrEqual(4);
    },
  },
  {
    id: 'Q49',
    title: 'lone surrogates are never sent in text and arguments',
    script: [answer(text('odd \ud83d text'), call('read_file', { path: 'odd \udc00 path' }), finish()), DONE],
    expected: { requests: 2 },
    check(scene) {
      expect(lastSent(scene).json).not.toMatch(/ud83d|udc00/i);
      checkPairs(scene);
    },
  },
  {
    id: 'T26',
    title: 'an image that no provider reads is told in words',
    protocols: only('CRAO'),
    script: [DONE],
    scene: {
      access: { models: { m: { images: true } } },
      agent: {
        history: [
          { role: 'user', parts: [{ text: 'see' }, { inlineData: { mimeType: 'image/svg+xml', data: IMAGE } }] },
          { role: 'model', parts: [{ text: 'ok' }] },
        ],
      },
    },
    expected: { text: 'done' },
    check(scene) {
      expect(lastSent(scene).json).not.toContain(IMAGE);
      expect(lastSent(scene).json).toMatch(/image\/svg\+xml.*cannot be sent/);
    },
  },
  {
    id: 'Q23',
    title: 'a first frame without choices, and one in the middle',
    protocols: only('C'),
    script: [
      dialect(answer(text('fi'), raw({ id: 'x', choices: [] }), text('ne'), finish()), {
        quirks: { emptyFirstChoices: true },
      }),
    ],
    expected: { text: 'fine', requests: 1 },
  },
];

/** Marks of a prompt cache move with the conversation; everything else stays. */
function plainTurns(turns: readonly object[]): string {
  return turns.map((turn) => JSON.stringify(turn).replaceAll(',"cache_control":{"type":"ephemeral"}', '')).join('\n');
}

function manyCalls(count: number): Content[] {
  const turns = Array.from({ length: count }, (_, index): Content[] => {
    const about = { id: `call-${index}`, name: 'read_file' };
    return [
      { role: 'model', parts: [{ functionCall: { ...about, args: { path: `h${index}` } } }] },
      { role: 'user', parts: [{ functionResponse: { ...about, response: { output: `text ${index}` } } }] },
    ];
  });
  return [{ role: 'user', parts: [{ text: 'begin' }] }, ...turns.flat()];
}
