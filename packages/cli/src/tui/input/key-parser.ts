/**
 * Parses bytes of the terminal into tokens, however they are split. It buffers the possible beginning of a character, a
 * sequence or a paste until the rest arrives; `flush` declares that it will not. input-reader.ts handles time.
 */

import { parseControlSequence, parseSingleShift, parseStringSequence } from './control-sequence.ts';
import type { InputReport, ParsedSequence, Sequence } from './control-sequence.ts';
import { characterKey, createKey } from './key.ts';
import type { Key } from './key.ts';

export type { InputReport } from './control-sequence.ts';

export type InputToken =
  /** Printable characters only, as many as arrived together. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: Key }
  /** The exact pasted text, without reports of the terminal that fell into it. */
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'focus'; readonly isFocused: boolean }
  | { readonly type: 'report'; readonly report: InputReport };

export interface KeyParser {
  push(bytes: Uint8Array | string): InputToken[];
  /** Nothing follows: the buffered bytes count as they are. */
  flush(): InputToken[];
  /** What the parser waits for. */
  waitsFor(): 'nothing' | 'escape' | 'sequence' | 'paste';
  /** The next reports of the form `CSI row;column R` are answers, not F3. */
  expectCursorReports(count: number): void;
}

const ESC = '\x1b';
const PASTE_END = '\x1b[201~';
// oxlint-disable-next-line no-control-regex -- control characters are what this file is about
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const REPORT_IN_PASTE = /\x1b\[(?:[IO]|<\d+;\d+;\d+[Mm])/g;
const STRING_INTRODUCERS = ']P_^X';

interface Place {
  readonly text: string;
  readonly index: number;
}

export function createKeyParser(): KeyParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  /** The pieces of the open paste. */
  let paste: string[] | undefined;
  let cursorReports = 0;

  const push = (bytes: Uint8Array | string): InputToken[] => {
    const text = held + (typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true }));
    held = '';
    const tokens: InputToken[] = [];
    let index = 0;
    while (index < text.length) {
      if (paste !== undefined) index = continuePaste(paste, { text, index }, tokens);
      else if (text[index] === ESC) index = parseEscape(text, index, tokens);
      else index = parsePlain(text, index, tokens);
    }
    return tokens;
  };

  const continuePaste = (open: string[], { text, index }: Place, tokens: InputToken[]): number => {
    const end = text.indexOf(PASTE_END, index);
    if (end < 0) {
      // The end mark may be split over two pieces.
      const safe = Math.max(index, beginOfPartialEnd(text));
      open.push(text.slice(index, safe));
      held = text.slice(safe);
      return text.length;
    }
    open.push(text.slice(index, end));
    tokens.push(closePaste(open));
    return end + PASTE_END.length;
  };

  const closePaste = (open: readonly string[]): InputToken => {
    paste = undefined;
    return { type: 'paste', text: open.join('').replaceAll(REPORT_IN_PASTE, '') };
  };

  const parseEscape = (text: string, index: number, tokens: InputToken[]): number => {
    const parsed = readEscape(text, index, cursorReports > 0);
    if (parsed === undefined) {
      held = text.slice(index);
      return text.length;
    }
    emit(parsed.sequence, tokens);
    return index + Math.max(1, parsed.length);
  };

  const emit = (sequence: Sequence, tokens: InputToken[]) => {
    if (sequence.type === 'paste_start') paste = [];
    else if (sequence.type === 'report' || sequence.type === 'key' || sequence.type === 'focus') tokens.push(sequence);
    if (sequence.type === 'report' && sequence.report.kind === 'cursor') cursorReports = Math.max(0, cursorReports - 1);
  };

  return {
    push,
    waitsFor() {
      if (paste !== undefined) return 'paste';
      if (held === '') return 'nothing';
      return held === ESC || held === ESC + ESC ? 'escape' : 'sequence';
    },
    flush() {
      const tokens: InputToken[] = [];
      const rest = held;
      held = '';
      if (paste !== undefined) {
        tokens.push(closePaste([...paste, rest]));
      } else if (rest === ESC || rest === ESC + ESC) {
        for (const _ of rest) tokens.push({ type: 'key', key: createKey('escape') });
      } else if (rest.length === 2) {
        // Alt with a key that could have begun a sequence; a longer beginning is broken and is dropped.
        tokens.push({ type: 'key', key: altKey(rest[1]!) });
      }
      return tokens;
    },
    expectCursorReports(count) {
      cursorReports += count;
    },
  };
}

/** The sequence at an ESC; undefined when it is incomplete. */
function readEscape(text: string, index: number, expectsCursor: boolean): ParsedSequence | undefined {
  const next = text[index + 1];
  if (next === undefined) return undefined;
  if (next === '[') return parseControlSequence(text, index, expectsCursor);
  if (next === 'O') return parseSingleShift(text, index);
  if (STRING_INTRODUCERS.includes(next)) return parseIntroducer(text, index);
  if (next === ESC) return readDoubleEscape(text, index, expectsCursor);
  const character = String.fromCodePoint(text.codePointAt(index + 1)!);
  return { sequence: { type: 'key', key: altKey(character) }, length: 1 + character.length };
}

/** Alt with `]`, `P` … begins like a string; a string that arrives in one piece is one. */
function parseIntroducer(text: string, index: number): ParsedSequence | undefined {
  const parsed = parseStringSequence(text, index);
  if (parsed !== undefined || text.length === index + 2) return parsed;
  const isString = text[index + 1] === ']' ? /[\d]/.test(text[index + 2]!) : true;
  return isString ? undefined : { sequence: { type: 'key', key: altKey(text[index + 1]!) }, length: 2 };
}

/** Some terminals send alt with an arrow as an escape before its sequence. */
function readDoubleEscape(text: string, index: number, expectsCursor: boolean): ParsedSequence | undefined {
  const third = text[index + 2];
  if (third === undefined) return undefined;
  const escape: ParsedSequence = { sequence: { type: 'key', key: createKey('escape') }, length: 1 };
  if (third !== '[' && third !== 'O') return escape;
  const inner = readEscape(text, index + 1, expectsCursor);
  if (inner === undefined) return undefined;
  if (inner.sequence.type !== 'key') return escape;
  return { sequence: { type: 'key', key: { ...inner.sequence.key, alt: true, text: '' } }, length: inner.length + 1 };
}

function parsePlain(text: string, index: number, tokens: InputToken[]): number {
  CONTROL.lastIndex = index;
  const control = CONTROL.exec(text);
  const end = control?.index ?? text.length;
  if (end > index) {
    tokens.push({ type: 'text', text: text.slice(index, end) });
    return end;
  }
  const key = controlKey(text.charCodeAt(index));
  if (key !== undefined) tokens.push({ type: 'key', key });
  return index + 1;
}

function controlKey(code: number): Key | undefined {
  switch (code) {
    case 0x00:
      return createKey('space', { ctrl: true });
    case 0x09:
      return createKey('tab');
    case 0x0d:
      return createKey('enter');
    case 0x1f:
      return createKey('/', { ctrl: true });
    case 0x7f:
      return createKey('backspace');
    default:
      // Ctrl with a key is that key's character without its two upper bits.
      return code < 0x20 ? createKey(String.fromCharCode(code + 0x40).toLowerCase(), { ctrl: true }) : undefined;
  }
}

function altKey(character: string): Key {
  const code = character.codePointAt(0)!;
  const key = (code < 0x20 || code === 0x7f ? controlKey(code) : undefined) ?? characterKey(character);
  const isCapital = key.name.toLowerCase() !== key.name;
  return { ...key, name: key.name.toLowerCase(), alt: true, shift: key.shift || isCapital, text: '' };
}

/** Where an end mark may have begun at the end of a piece. */
function beginOfPartialEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return text.length - length;
  }
  return text.length;
}
