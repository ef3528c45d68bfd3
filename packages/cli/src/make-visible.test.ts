import { describe, expect, it } from 'vitest';
import { makeVisible, makeVisibleLine } from './make-visible.ts';

describe('makeVisible', () => {
  it.each([
    ['plain words', 'ls -la | wc -l', 'ls -la | wc -l'],
    ['an escape sequence', 'a\x1b[8mb', 'a\\e[8mb'],
    ['a carriage return', 'safe\rrm -rf /', 'safe\\rrm -rf /'],
    ['8-bit control characters', '\u009b2J', '\\x9b2J'],
    ['turned direction', 'a\u202eb', 'a\\u{202e}b'],
    ['what takes no room', 'a\u200bb\u2060', 'a\\u{200b}b\\u{2060}'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['many spaces', `a${' '.repeat(5000)}b`, 'a⟨5000 spaces⟩b'],
    ['indentation', '    four\n        eight', '    four\n        eight'],
    ['many empty lines', `a${'\n'.repeat(50)}b`, 'a\n⟨49 empty lines⟩\nb'],
  ])('shows %s', (_name, text, shown) => {
    expect(makeVisible(text)).toBe(shown);
  });

  it('can stay on one line', () => {
    expect(makeVisibleLine('a\nb')).toBe('a⏎b');
  });
});
