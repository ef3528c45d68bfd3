import { describe, expect, it } from 'vitest';
import { applySplices, decodeText, encodeText, looksBinary, mixesEncodings, toVisibleText } from './text-file.ts';

const wide = (text: string) => {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  const bytes = Buffer.alloc(codes.length * 4);
  codes.forEach((code, index) => bytes.writeUInt32LE(code, index * 4));
  return bytes;
};
const LINES = 'one\r\ntwo 😀\nthree é\r\nlast';
const FILES: [string, Buffer][] = [
  ['utf-8', Buffer.from(LINES)],
  ['utf-8 with a mark', Buffer.from(`\uFEFF${LINES}`)],
  ['utf-16le with a mark', Buffer.from(`\uFEFF${LINES}`, 'utf16le')],
  ['utf-16be with a mark', Buffer.from(`\uFEFF${LINES}`, 'utf16le').swap16()],
  ['utf-16le', Buffer.from('plain text\r\nlines two\n', 'utf16le')],
  ['utf-16be', Buffer.from('plain text\r\nlines two\n', 'utf16le').swap16()],
  ['utf-16le with half a unit', Buffer.concat([Buffer.from('\uFEFFtwo lines', 'utf16le'), Buffer.from([7])])],
  ['utf-16le with half a pair', Buffer.from('\uFEFFtwo \uD800 lines', 'utf16le')],
  ['utf-32le with a mark', wide(`\uFEFF${LINES}`)],
  ['utf-32be with a mark', wide(`\uFEFF${LINES}`).swap32()],
  ['utf-32le', wide('two plain lines\n')],
  ['utf-32 with an impossible unit', Buffer.concat([wide('\uFEFFtwo'), Buffer.from([0, 0, 0x20, 0])])],
  ['windows-1252', Buffer.from('caf\xE9 two \x80\r\n', 'latin1')],
  ['shift-jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x20, 0x74, 0x77, 0x6f, 0x0d, 0x0a])],
  ['gb18030', Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x81, 0x30, 0x81, 0x30, 0x20, 0x74, 0x77, 0x6f])],
  ['cut and overlong sequences', Buffer.from([0x74, 0x77, 0x6f, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf5, 0xe2, 0x82])],
  ['nothing', Buffer.alloc(0)],
];

describe('decodeText', () => {
  it.each(FILES)('gives back the bytes of %s', (_, bytes) => {
    const file = decodeText(bytes);
    expect(encodeText(file, file.raw)).toEqual(bytes);
  });

  it.each(FILES.filter(([, bytes]) => decodeText(bytes).text.includes('two')))(
    'changes only the hunk in %s',
    (_, bytes) => {
      const file = decodeText(bytes);
      const start = file.text.indexOf('two');
      const edited = applySplices(file, [{ start, end: start + 3, replacement: 'TWO' }]);
      const back = decodeText(edited);
      const undone = applySplices(back, [{ start, end: start + 3, replacement: 'two' }]);
      expect({ text: back.text.slice(start, start + 3), undone }).toEqual({ text: 'TWO', undone: bytes });
    },
  );

  it('takes any bytes without loss', () => {
    let seed = 1;
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(Array.from({ length: round % 40 }, () => (seed = (seed * 48271) % 2147483647) & 0xff));
      const file = decodeText(bytes);
      expect(encodeText(file, file.raw)).toEqual(bytes);
    }
  });

  it('shows bytes that are no text as replacement characters', () => {
    expect(toVisibleText(decodeText(Buffer.from('caf\xE9', 'latin1')).text)).toBe('caf\uFFFD');
  });
});

describe('applySplices', () => {
  it('keeps every line end of a mixed file and ends new lines as the line before', () => {
    const file = decodeText(Buffer.from('a\r\nb\nc\r\nd'));
    const at = file.text.indexOf('c');
    expect(applySplices(file, [{ start: at, end: at + 1, replacement: 'x\ny' }]).toString()).toBe('a\r\nb\nx\ny\r\nd');
    expect(applySplices(file, [{ start: 2, end: 2, replacement: 'new\n' }]).toString()).toBe('a\r\nnew\r\nb\nc\r\nd');
  });
});

describe('mixesEncodings', () => {
  const splice = (replacement: string) => [{ start: 0, end: 0, replacement }];
  it('minds characters beyond ASCII in a legacy file only', () => {
    const legacy = decodeText(Buffer.from('caf\xE9\n', 'latin1'));
    const stray = decodeText(Buffer.concat([Buffer.from('naïve '), Buffer.from([0xff])]));
    expect([
      mixesEncodings(legacy, splice('é')),
      mixesEncodings(legacy, splice('e')),
      mixesEncodings(stray, splice('é')),
    ]).toEqual([true, false, false]);
  });
});

describe('looksBinary', () => {
  it('tells text from other bytes', () => {
    const samples = [
      Buffer.from('text\n'),
      Buffer.from('a\0b'),
      Buffer.from('wide text', 'utf16le'),
      Buffer.from([1, 2, 3, 4, 5]),
      Buffer.from('caf\xE9', 'latin1'),
    ];
    expect(samples.map(looksBinary)).toEqual([false, true, false, true, false]);
  });
});
