/**
 * Converts a text file between bytes and text without loss. It supports UTF-8, UTF-16 and
 * UTF-32 with and without a byte order mark, keeps bytes that are not UTF-8 as lone
 * surrogates (U+DC80 to U+DCFF, one for each byte), and remembers the line endings, so
 * that unedited parts are written back byte for byte. It does not guess legacy code pages.
 */

import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

export interface TextFile {
  encoding: TextEncoding;
  hasByteOrderMark: boolean;
  /** With `\n` for every `\r\n`; a lone `\r` is an ordinary character. */
  text: string;
  /** As on disk. */
  raw: string;
  /** The ending of most lines. */
  lineEnding: '\n' | '\r\n';
  /** Bytes after the last complete code unit. */
  tail: Uint8Array;
}

/** Replaces `text` between `start` and `end` (offsets into TextFile.text) with `replacement`. */
export interface Splice {
  start: number;
  end: number;
  replacement: string;
}

const MARKS: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Which of every four bytes of ASCII text are zero, by encoding. */
const ZERO_SHAPES: Readonly<Record<string, TextEncoding>> = {
  x000: 'utf-32le',
  '000x': 'utf-32be',
  x0x0: 'utf-16le',
  '0x0x': 'utf-16be',
};

const SAMPLE_BYTES = 8192;
const NO_BYTES = new Uint8Array(0);

export function decodeText(bytes: Uint8Array): TextFile {
  const [encoding, mark] = MARKS.find(([, each]) => each.every((byte, index) => bytes[index] === byte)) ?? [
    guessEncoding(bytes),
    [],
  ];
  const body = bytes.subarray(mark.length);
  const whole = body.length - (body.length % codeUnitBytes(encoding));
  const raw = decodeUnits(Buffer.from(body.buffer, body.byteOffset, whole), encoding);
  // An invalid UTF-32 unit cannot be text; decoded as bytes it survives.
  if (raw === undefined) return describe('utf-8', false, decodeUtf8(Buffer.from(bytes)), NO_BYTES);
  return describe(encoding, mark.length > 0, raw, body.slice(whole));
}

/** Encodes new text for the same file; `raw` already has its line endings. */
export function encodeText(file: TextFile, raw: string): Buffer {
  const mark = file.hasByteOrderMark ? MARKS.find(([name]) => name === file.encoding)![1] : [];
  return Buffer.concat([Buffer.from(mark), encodeUnits(raw, file.encoding), file.tail]);
}

/** Applies ordered, non-overlapping splices. New lines take the ending of the line before them. */
export function applySplices(file: TextFile, splices: readonly Splice[]): Buffer {
  const toRaw = createOffsetMap(file);
  let result = '';
  let position = 0;
  for (const { start, end, replacement } of splices) {
    const rawStart = toRaw(start);
    result += file.raw.slice(position, rawStart) + withLineEnding(replacement, endingBefore(file, rawStart));
    position = toRaw(end);
  }
  return encodeText(file, result + file.raw.slice(position));
}

/** Whether all lines have the same ending and all bytes are text, so that the text describes the file completely. */
export function isUniform(file: TextFile): boolean {
  return file.raw.isWellFormed() && withLineEnding(file.text, file.lineEnding) === file.raw;
}

/**
 * Whether the splices insert non-ASCII characters into a file of a legacy code page. Such
 * a file has bytes that are not UTF-8 and no valid multi-byte character.
 */
export function mixesEncodings(file: TextFile, splices: readonly Splice[]): boolean {
  if (
    file.encoding !== 'utf-8' ||
    file.raw.isWellFormed() ||
    splices.every(({ replacement }) => isAscii(replacement))
  ) {
    return false;
  }
  if (/[\u0080-\uD7FF\uE000-\uFFFF\u{10000}-\u{10FFFF}]/u.test(file.raw)) return false;
  return !applyToText(file.text, splices).isWellFormed();
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uFFFF]/.test(text);
}

export function applyToText(text: string, splices: readonly Splice[]): string {
  let result = '';
  let position = 0;
  for (const { start, end, replacement } of splices) {
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
}

export function withLineEnding(text: string, lineEnding: '\n' | '\r\n'): string {
  return lineEnding === '\n' ? text : text.replaceAll('\n', '\r\n');
}

/** Text that can be displayed and sent: undecodable bytes become U+FFFD. */
export function toVisibleText(text: string): string {
  return text.toWellFormed();
}

/**
 * The text as the file has it, with its own line ends: what another program reads there. The byte order mark is a mark of
 * the encoding, not text, as in every editor.
 */
export function realText(bytes: Uint8Array): string {
  return toVisibleText(decodeText(bytes).raw);
}

/** Normalizes a model's text for storage: `\n` line ends, no half characters. */
export function fromModelText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n');
}

/** Whether bytes without a byte order mark look like something other than text. */
export function looksBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (MARKS.some(([, mark]) => mark.every((byte, index) => sample[index] === byte))) return false;
  if (guessEncoding(sample) !== 'utf-8') return false;
  if (sample.includes(0)) return true;
  let controls = 0;
  for (const byte of sample) if (byte < 32 && (byte < 7 || byte > 13) && byte !== 27) controls++;
  return controls > sample.length * 0.1;
}

function describe(encoding: TextEncoding, hasByteOrderMark: boolean, raw: string, tail: Uint8Array): TextFile {
  const text = raw.includes('\r\n') ? raw.replaceAll('\r\n', '\n') : raw;
  const carriageReturns = raw.length - text.length;
  const lines = carriageReturns === 0 ? 0 : countNewlines(text);
  return { encoding, hasByteOrderMark, text, raw, lineEnding: carriageReturns * 2 > lines ? '\r\n' : '\n', tail };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Maps an offset into `text` to the offset into `raw`; before the `\r` when it is at a line end. */
function createOffsetMap(file: TextFile): (offset: number) => number {
  if (file.raw.length === file.text.length) return (offset) => offset;
  /** Offsets into `text` of the line ends that have two characters on disk. */
  const pairs: number[] = [];
  for (let at = file.raw.indexOf('\r\n'); at !== -1; at = file.raw.indexOf('\r\n', at + 2))
    pairs.push(at - pairs.length);
  return (offset) => {
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pairs[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  };
}

function endingBefore(file: TextFile, rawOffset: number): '\n' | '\r\n' {
  if (file.raw.length === file.text.length) return '\n';
  let at = file.raw.lastIndexOf('\n', rawOffset - 1);
  if (at === -1 || rawOffset === 0) at = file.raw.indexOf('\n');
  return file.raw[at - 1] === '\r' ? '\r\n' : '\n';
}

function codeUnitBytes(encoding: TextEncoding): number {
  if (encoding === 'utf-8') return 1;
  return encoding.startsWith('utf-16') ? 2 : 4;
}

/** ASCII in wider units has zeros at regular positions; anything else is treated as UTF-8. */
function guessEncoding(bytes: Uint8Array): TextEncoding {
  const sample = bytes.subarray(0, SAMPLE_BYTES - (SAMPLE_BYTES % 4));
  if (sample.length < 4 || !sample.includes(0)) return 'utf-8';
  const zeros = [0, 0, 0, 0];
  for (let index = 0; index < sample.length; index++) if (sample[index] === 0) zeros[index % 4]!++;
  const quarter = sample.length / 4;
  const shape = zeros.map((count) => (count > quarter * 0.7 ? '0' : count < quarter * 0.02 ? 'x' : '?')).join('');
  const guess = ZERO_SHAPES[shape] ?? 'utf-8';
  return bytes.length % codeUnitBytes(guess) === 0 || guess.startsWith('utf-16') ? guess : 'utf-8';
}

function decodeUnits(bytes: Buffer, encoding: TextEncoding): string | undefined {
  switch (encoding) {
    case 'utf-8':
      return decodeUtf8(bytes);
    case 'utf-16le':
      return bytes.toString('utf16le');
    case 'utf-16be':
      return Buffer.from(bytes).swap16().toString('utf16le');
    case 'utf-32le':
    case 'utf-32be':
      return decodeUtf32(bytes, encoding === 'utf-32le');
  }
}

function encodeUnits(raw: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return encodeUtf8(raw);
    case 'utf-16le':
      return Buffer.from(raw, 'utf16le');
    case 'utf-16be':
      return Buffer.from(raw, 'utf16le').swap16();
    case 'utf-32le':
    case 'utf-32be':
      return encodeUtf32(raw, encoding === 'utf-32le');
  }
}

function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const pieces: string[] = [];
  let start = 0;
  for (let index = 0; index < bytes.length;) {
    const length = sequenceLength(bytes, index);
    if (length > 0) {
      index += length;
      continue;
    }
    pieces.push(bytes.toString('utf8', start, index), String.fromCharCode(0xdc00 + bytes[index]!));
    start = ++index;
  }
  return pieces.join('') + bytes.toString('utf8', start);
}

/** The length of the well-formed UTF-8 sequence at `index`; 0 when there is none. */
function sequenceLength(bytes: Buffer, index: number): number {
  const first = bytes[index]!;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || index + length > bytes.length) return 0;
  return isUtf8(bytes.subarray(index, index + length)) ? length : 0;
}

function encodeUtf8(raw: string): Buffer {
  if (raw.isWellFormed()) return Buffer.from(raw, 'utf8');
  const pieces: Buffer[] = [];
  let start = 0;
  for (const { 0: kept, index } of raw.matchAll(/[\uDC80-\uDCFF]/gu)) {
    pieces.push(Buffer.from(raw.slice(start, index), 'utf8'), Buffer.from([kept.charCodeAt(0) - 0xdc00]));
    start = index + 1;
  }
  pieces.push(Buffer.from(raw.slice(start), 'utf8'));
  return Buffer.concat(pieces);
}

function decodeUtf32(bytes: Buffer, isLittleEndian: boolean): string | undefined {
  const pieces: string[] = [];
  for (let index = 0; index < bytes.length; index += 4) {
    const code = isLittleEndian ? bytes.readUInt32LE(index) : bytes.readUInt32BE(index);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    pieces.push(String.fromCodePoint(code));
  }
  return pieces.join('');
}

function encodeUtf32(raw: string, isLittleEndian: boolean): Buffer {
  const codes = Array.from(raw, (character) => character.codePointAt(0)!);
  const bytes = Buffer.alloc(codes.length * 4);
  codes.forEach((code, index) => {
    if (isLittleEndian) bytes.writeUInt32LE(code, index * 4);
    else bytes.writeUInt32BE(code, index * 4);
  });
  return bytes;
}
