import { describe, expect, it } from 'vitest';
import { expandBraces } from './brace-expansion.ts';
import { NETWORK_COMMANDS, SAFE_COMMANDS } from './known-commands.ts';
import { isPlainSedScript } from './sed-script.ts';

describe('the commands known to be safe', () => {
  it('contain none that reaches the network', () => {
    expect(SAFE_COMMANDS.filter((name) => NETWORK_COMMANDS.includes(name))).toEqual([]);
  });
});

describe('a sed script', () => {
  it.each([
    'p',
    '1,5p',
    '$d',
    's/a/b/g',
    's|a|b|',
    '/x/d',
    '/a/,/b/p',
    's/a\\/b/c/',
    '1!d',
    's/e/w/',
    'y/abc/xyz/',
    '/w/s/a/b/; $!N',
    '1i hello',
  ])('only edits: %s', (script) => {
    expect(isPlainSedScript(script)).toBe(true);
  });

  it.each([
    'e',
    '1e id',
    's/a/b/e',
    's/a/b/ge',
    's/a/b/w f',
    'w f',
    'W f',
    '/x/w f',
    's/[/]/x/e',
    's/a/b',
    'r f',
    '$!{e id\n}',
    's/a/b/;e id',
    's\ta\tb\te',
  ])('may do more: %s', (script) => {
    expect(isPlainSedScript(script)).toBe(false);
  });
});

describe('braces', () => {
  it.each([
    ['a{b,c}d', ['abd', 'acd']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{1..3}', undefined],
    ['{a,$b}', undefined],
    ['{a}', undefined],
  ])('of %s stand for %j', (text, words) => {
    expect(expandBraces(text)).toEqual(words);
  });
});
