import { describe, expect, it } from 'vitest';
import { encodeKey, encodePaste } from './encode-key.ts';
import { createKey } from './key.ts';
import { createKeyParser } from './key-parser.ts';

/** The bytes of a key, by way of the key. */
function through(bytes: string): string {
  const parser = createKeyParser();
  return [...parser.push(bytes), ...parser.flush()]
    .map((token) => (token.type === 'key' ? encodeKey(token.key) : token.type === 'text' ? token.text : '?'))
    .join('');
}

describe('encodeKey', () => {
  it.each([
    ...['\r', '\t', '\x1b', '\x7f', '\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\x1b[H', '\x1b[F'],
    ...['\x1b[2~', '\x1b[3~', '\x1b[5~', '\x1b[6~', '\x1bOP', '\x1bOS', '\x1b[15~', '\x1b[24~'],
    ...['\x1b[1;5C', '\x1b[1;2A', '\x1b[3;5~', '\x1b[Z', '\x01', '\x03', '\x04', '\x1a', '\x1c', '\x1f', '\0'],
    ...['\x1bb', '\x1b\x7f', 'é', '本'],
  ])('gives %j back as the terminal sent it', (bytes) => {
    expect(through(bytes)).toBe(bytes);
  });

  it.each([
    ['\x1b[99;5u', '\x03'],
    ['\x1b[13u', '\r'],
    ['\x1b[27u', '\x1b'],
    ['\x1b[97;3u', '\x1ba'],
  ])('gives what came as %j by the kitty protocol as %j', (bytes, expected) => {
    expect(through(bytes)).toBe(expected);
  });

  it.each([
    ['up', '\x1bOA'],
    ['end', '\x1bOF'],
    ['pageup', '\x1b[5~'],
    ['enter', '\r'],
  ])('gives %s as %j to a program that wants the keys of applications', (name, expected) => {
    expect(encodeKey(createKey(name), { hasApplicationCursor: true })).toBe(expected);
  });

  it('gives nothing for a key no terminal has bytes for', () => {
    expect(encodeKey({ name: 'capslock', ctrl: false, alt: false, shift: false, cmd: false, text: '' })).toBe('');
  });
});

describe('encodePaste', () => {
  it('makes line ends Enter and lets no control through', () => {
    expect(encodePaste('a\r\nb\nc\td\x1b[201~\x03\x9be')).toBe('a\rb\rc\td[201~e');
  });

  it('stands between brackets where the program wants them, and nothing in it closes them', () => {
    expect(encodePaste('a\x1b[201~\nb', { hasBracketedPaste: true })).toBe('\x1b[200~a[201~\rb\x1b[201~');
  });
});
