import { describe, expect, it } from 'vitest';
import type { Answer, Piece } from './answer.ts';
import {
  answer,
  bigFrame,
  call,
  citation,
  DEFAULT_USAGE,
  dialect,
  ending,
  finish,
  gate,
  raw,
  say,
  text,
  thought,
  together,
  toAnswer,
  usage,
} from './script.ts';

const frames = (step: Answer | Piece) =>
  toAnswer(step).pieces.map((piece) => (piece.kind === 'frame' ? piece.frame : piece.kind));
const candidate = (fields: object) => ({ candidates: [{ ...fields, index: 0 }] });
const part = (fields: object) => candidate({ content: { role: 'model', parts: [fields] } });
const STOP = { ...candidate({ finishReason: 'STOP' }), usageMetadata: DEFAULT_USAGE };

describe('builders', () => {
  it.each<[title: string, step: Answer | Piece, expected: unknown[]]>([
    ['say gives text and an end', say('hi'), [part({ text: 'hi' }), STOP]],
    ['say gives a frame per piece', say(['a', 'b']), [part({ text: 'a' }), part({ text: 'b' }), STOP]],
    ['a lone text is an answer', text('hi'), [part({ text: 'hi' }), STOP]],
    [
      'a lone call is an answer',
      call('read_file', { path: 'a' }),
      [part({ functionCall: { name: 'read_file', args: { path: 'a' } } }), STOP],
    ],
    [
      'a call carries its id and signature',
      call('t', {}, { id: '7', signature: 's' }),
      [part({ functionCall: { id: '7', name: 't', args: {} }, thoughtSignature: 's' }), STOP],
    ],
    [
      'a thought is marked',
      thought('**A** b', { signature: 's' }),
      [part({ text: '**A** b', thought: true, thoughtSignature: 's' }), STOP],
    ],
    [
      'a citation has its source',
      citation('https://a', 'A'),
      [candidate({ citationMetadata: { citations: [{ uri: 'https://a', title: 'A' }] } }), STOP],
    ],
    [
      'usage is reported once',
      answer(text('a'), usage({ totalTokenCount: 3 })),
      [part({ text: 'a' }), { usageMetadata: { totalTokenCount: 3 } }, candidate({ finishReason: 'STOP' })],
    ],
    [
      'finish has its words',
      finish('SAFETY', { message: 'no', usage: null }),
      [candidate({ finishReason: 'SAFETY', finishMessage: 'no' })],
    ],
    ['an ending keeps the end away', answer(text('a'), ending('reset')), [part({ text: 'a' }), 'ending']],
    [
      'a raw end is an end',
      raw({ candidates: [{ finishReason: 'OTHER' }] }),
      [{ candidates: [{ finishReason: 'OTHER' }] }],
    ],
    ['a raw frame that is none of ours is kept', raw({ candidates: 'none' }), [{ candidates: 'none' }, STOP]],
    [
      'together makes one frame of several',
      answer(together(text('a'), call('b'), call('c'), finish())),
      [
        {
          ...candidate({
            content: {
              role: 'model',
              parts: [
                { text: 'a' },
                { functionCall: { name: 'b', args: {} } },
                { functionCall: { name: 'c', args: {} } },
              ],
            },
            finishReason: 'STOP',
          }),
          usageMetadata: DEFAULT_USAGE,
        },
      ],
    ],
    [
      'a gate stands among the frames',
      answer(text('a'), gate(), text('b')),
      [part({ text: 'a' }), 'gate', part({ text: 'b' }), STOP],
    ],
  ])('%s', (_title, step, expected) => {
    expect(frames(step)).toEqual(expected);
  });

  it('bigFrame has as many bytes of text as asked', () => {
    expect(bigFrame(1_000_000).frame).toEqual(part({ text: 'x'.repeat(1_000_000) }));
  });

  it('dialect adds to what the step says already', () => {
    expect(dialect(dialect(text('a'), { lineEnd: '\r' }), { chunking: 3 }).wire).toEqual({
      lineEnd: '\r',
      chunking: 3,
    });
  });
});
