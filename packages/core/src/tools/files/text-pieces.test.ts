import { describe, expect, it } from 'vitest';
import { TextPieces } from './text-pieces.ts';

describe('TextPieces', () => {
  it('answers as the whole text would', () => {
    const texts = ['', 'ab', 'c', '', 'defg'];
    const whole = texts.join('\n');
    const pieces = TextPieces.ofLines(texts);
    expect([pieces.length, [...pieces].join('')]).toEqual([whole.length, whole]);
    for (let from = 0; from <= whole.length; from++) {
      for (let to = from; to <= whole.length; to++) expect(pieces.slice(from, to)).toBe(whole.slice(from, to));
      expect(pieces.charCodeAt(from)).toBe(whole.charCodeAt(from));
    }
  });
});
