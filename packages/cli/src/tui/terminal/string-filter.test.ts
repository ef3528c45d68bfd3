import { describe, expect, it } from 'vitest';
import { StringFilter } from './string-filter.ts';

function filter(...pieces: Uint8Array[]): string {
  const strings = new StringFilter();
  return Buffer.concat(pieces.map((piece) => strings.filter(piece))).toString();
}

describe('StringFilter', () => {
  it.each([
    ['a\x1b]0;title\x07b', 'ab'],
    ['a\x1b]52;c;eA==\x1b\\b', 'ab'],
    ['a\x1bP1$q\x1b\\b\x1b_G\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e', 'abcde'],
    ['a\u009d0;title\u009cb\u0090q\u009cc', 'abc'],
    ['a\x1b]0;é\u00a0title\x18b', 'ab'],
    ['a\x1b]0;one\x1b]0;two\x07b', 'ab'],
    ['a\x1b]0;one\x1b[31mred\x1b[m', 'a\x1b[31mred\x1b[m'],
    ['a\x1b\x1b]0;title\x07b', 'a\x1bb'],
    ['\x1b[2J\x1b(B\x1b7é£\u00a0漢😀', '\x1b[2J\x1b(B\x1b7é£\u00a0漢😀'],
    ['a\x1b]never closed', 'a'],
  ])('makes %j into %j, wherever it is cut', (text, expected) => {
    const bytes = Buffer.from(text);
    const cuts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
    expect(cuts.map((cut) => filter(bytes.subarray(0, cut), bytes.subarray(cut)))).toEqual(cuts.map(() => expected));
  });
});
