import { describe, expect, it } from 'vitest';
import { countOf, shorten, toOneLine } from './short-text.ts';

describe('text for one line', () => {
  it('counts in the singular and the plural', () => {
    expect([0, 1, 2].map((count) => countOf(count, 'file'))).toEqual(['0 files', '1 file', '2 files']);
  });

  it('collapses blanks and line breaks', () => {
    expect(toOneLine(' a\r\n\tb  c\n')).toBe('a b c');
  });

  it('shortens only what is longer, and leaves no half of a character', () => {
    expect(shorten('four', 4)).toBe('four');
    expect(shorten('fours', 4)).toBe('four…');
    expect(shorten('abc😀', 4)).toBe('abc\ufffd…');
  });
});
