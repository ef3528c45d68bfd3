import { describe, expect, it } from 'vitest';
import { globMatches } from './glob-matches.ts';

describe('globMatches', () => {
  it.each([
    ['.g*', '.git', true],
    ['.g?t', '.git', true],
    ['.gi[t]', '.git', true],
    ['.[a-h]it', '.git', true],
    ['.[!g]it', '.git', false],
    ['.[^a-f]it', '.git', true],
    ['*', '', true],
    ['?', '', false],
    ['*a*b', 'xaxxab', true],
    ['*a*b', 'xaxxa', false],
    ['[]a]b', ']b', true],
    ['[a-]b', '-b', true],
    ['a.c', 'abc', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
  ])('%j for %j is %j', (pattern, name, expected) => {
    expect(globMatches(pattern, name)).toBe(expected);
  });

  it.each(['[a', '@(a|b)', '[[:alpha:]]'])('takes %j for anything, since it does not read it', (pattern) => {
    expect(globMatches(pattern, 'x')).toBe(true);
  });

  it('ends for a pattern that was made to take forever', () => {
    expect(globMatches(`${'*a'.repeat(60)}[Z-]`, `-${'a'.repeat(250)}`)).toBe(false);
  });
});
