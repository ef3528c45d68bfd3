import { describe, expect, it } from 'vitest';
import { sanitize, TerminalSanitizer } from './sanitize.ts';

/** Name, what arrives, what is shown. */
const CASES: [string, string, string][] = [
  ['plain text', 'a\tb\nc — ü 漢字 👍🏽', 'a\tb\nc — ü 漢字 👍🏽'],
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['cursor movement', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
  ['a question to the terminal', 'a\u001b[6nb', 'ab'],
  ['a private mode', '\u001b[?1049hx\u001b[?1049l', 'x'],
  ['a window title, ended by BEL', '\u001b]0;title\u0007x', 'x'],
  ['the clipboard, ended by ST', '\u001b]52;c;aGk=\u001b\\x', 'x'],
  ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['DCS, APC, PM and SOS', '\u001bPa\u001b\\1\u001b_b\u001b\\2\u001b^c\u001b\\3\u001bXd\u001b\\4', '1234'],
  ['8-bit introducers', '\u009b31mred\u009d0;t\u009cx\u0090q\u009cy\u0085z', 'redxyz'],
  ['a full reset', 'a\u001bcb', 'ab'],
  ['a change of character set', 'a\u001b(0b', 'ab'],
  ['lone control characters', 'a\u0000\u0007\b\u000b\f\r\u007fb', 'ab'],
  ['CRLF', 'a\r\nb', 'a\nb'],
  ['a sequence broken off by a new line', 'a\u001b[31\nb', 'a\nb'],
  ['a string never closed', 'a\u001b]0;swallowed\nb', 'a\nb'],
  ['a sequence broken off by another', 'a\u001b[3\u001b[31mb', 'ab'],
  ['a string broken off by another sequence', 'a\u001b]0;t\u001b[31mb', 'ab'],
  ['a cancelled sequence', 'a\u001b[31\u0018b', 'ab'],
  ['a sequence broken off by a letter no terminal takes', 'a\u001b[3üb', 'aüb'],
  ['an escape at the end', 'a\u001b', 'a'],
  ['marks of direction', 'a\u202eb\u2066c\u2069d\u200ee\u061cf', 'abcdef'],
  ['what is not seen', 'pa\u00adss\u200bwo\u034frd\ufeff\u2060!\ufff9x\ufffb', 'password!x'],
  ['letters of an invisible second alphabet', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['joiners of scripts and emoji', 'می\u200cخواهم 👩\u200d💻', 'می\u200cخواهم 👩\u200d💻'],
  ['a lone high surrogate at the end', 'a\ud83d', 'a\ufffd'],
];

describe('TerminalSanitizer', () => {
  it.each(CASES)('shows the text of %s and nothing else', (_, arrives, shown) => {
    expect(sanitize(arrives)).toBe(shown);
  });

  it.each(CASES)('does not care where %s is cut', (_, arrives, shown) => {
    for (let first = 0; first <= arrives.length; first++) {
      for (let second = first; second <= arrives.length; second++) {
        const sanitizer = new TerminalSanitizer();
        const pieces = [arrives.slice(0, first), arrives.slice(first, second), arrives.slice(second)];
        const result = pieces.map((piece) => sanitizer.write(piece)).join('') + sanitizer.end();
        expect([first, second, result]).toEqual([first, second, shown]);
      }
    }
  });

  it('never lets a control character through, whatever arrives', () => {
    const alphabet = [
      '\u001b',
      '[',
      ']',
      'P',
      '\\',
      '\u0007',
      '3',
      'm',
      '\u009b',
      '\u009c',
      '\u0018',
      'a',
      '\n',
      '\ud83d',
    ];
    let seed = 42;
    for (let round = 0; round < 2_000; round++) {
      let text = '';
      for (let index = 0; index < 12; index++) {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        text += alphabet[seed % alphabet.length];
      }
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(sanitize(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }
  });
});
