/**
 * Parses one escape sequence of the terminal: a key, a change of focus, the marks of a paste, or an answer to a query.
 * An unknown sequence is a report of kind `other`, so that no part of it lands in the editor.
 */

import { createKey } from './key.ts';
import type { Key, Modifiers } from './key.ts';
import {
  CONSOLE_KEYS,
  KEYPAD_BY_LETTER,
  KEYS_BY_CODE_POINT,
  KEYS_BY_LETTER,
  KEYS_BY_NUMBER,
  RXVT_ARROWS,
} from './key-codes.ts';

export type InputReport =
  /** OSC 4, 10, 11, 12: a colour as the terminal wrote it, such as `rgb:1e1e/1e1e/2e2e`. */
  | { readonly kind: 'color'; readonly slot: number; readonly value: string }
  /** Counted from one. */
  | { readonly kind: 'cursor'; readonly row: number; readonly column: number }
  | { readonly kind: 'device'; readonly data: string }
  /** The kitty keyboard flags in force: the terminal knows the protocol. */
  | { readonly kind: 'keyboard'; readonly flags: number }
  /** DECRPM: 0 unknown, 1 set, 2 reset, 3 permanently set, 4 permanently reset. */
  | { readonly kind: 'mode'; readonly mode: number; readonly value: number }
  | {
      readonly kind: 'mouse';
      readonly button: number;
      readonly column: number;
      readonly row: number;
      readonly isRelease: boolean;
    }
  | { readonly kind: 'other'; readonly sequence: string };

export type Sequence =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'focus'; readonly isFocused: boolean }
  | { readonly type: 'paste_start' }
  | { readonly type: 'paste_end' }
  | { readonly type: 'report'; readonly report: InputReport }
  /** A released key, or a modifier alone. */
  | { readonly type: 'nothing' };

export interface ParsedSequence {
  readonly sequence: Sequence;
  readonly length: number;
}

/** Longer than any answer of a terminal; an unclosed string is dropped there. */
const MAX_STRING = 4096;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const CSI = /\x1b\[([0-?]*)([ -/]*)([@-~])/y;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const CSI_PREFIX = /\x1b\[[0-?]*[ -/]*/y;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const RXVT_SHIFT = /\x1b\[(\d+)\$/y;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const SS3 = /\x1bO(\d?)([A-Za-z])/y;
// oxlint-disable-next-line no-control-regex -- escape sequences are what this file is about
const STRING_END = /\x07|\x1b\\|\x9c/g;
const COLOR = /^(?:4;)?(\d+);(.+)$/;
const NOTHING: Sequence = { type: 'nothing' };

/** The CSI sequence at `index`; undefined when it is incomplete. */
export function parseControlSequence(text: string, index: number, expectsCursor: boolean): ParsedSequence | undefined {
  const next = text[index + 2];
  if (next === undefined) return undefined;
  if (next === '[') return parseConsoleKey(text, index);
  if (next === 'M') return parseOldMouse(text, index);
  RXVT_SHIFT.lastIndex = index;
  const shifted = RXVT_SHIFT.exec(text);
  if (shifted) return { sequence: numberKey(Number(shifted[1]), { shift: true }), length: shifted[0].length };
  CSI.lastIndex = index;
  const match = CSI.exec(text);
  if (match === null) {
    CSI_PREFIX.lastIndex = index;
    const length = CSI_PREFIX.exec(text)![0].length;
    // Broken off by an invalid character: the beginning is dropped.
    return index + length === text.length && length < MAX_STRING ? undefined : { sequence: NOTHING, length };
  }
  const [whole, parameters = '', between = '', final = ''] = match;
  return { sequence: understand({ whole, parameters, between, final, expectsCursor }), length: whole.length };
}

/** `ESC O letter`; undefined when it is incomplete. */
export function parseSingleShift(text: string, index: number): ParsedSequence | undefined {
  SS3.lastIndex = index;
  const match = SS3.exec(text);
  if (match === null) {
    return text.length < index + 3 ? undefined : { sequence: keySequence('o', { alt: true, shift: true }), length: 2 };
  }
  const [whole, digit, letter = ''] = match;
  const modifiers = digit === '' ? {} : toModifiers(Number(digit));
  const arrow = RXVT_ARROWS.get(letter);
  const keypad = KEYPAD_BY_LETTER.get(letter);
  const name = KEYS_BY_LETTER.get(letter) ?? arrow ?? keypad;
  if (name === undefined) return { sequence: other(whole), length: whole.length };
  const written = keypad !== undefined && keypad.length === 1 ? keypad : '';
  return {
    sequence: { type: 'key', key: createKey(name, arrow ? { ctrl: true } : modifiers, written) },
    length: whole.length,
  };
}

/** OSC, DCS, APC, PM or SOS; undefined when it is incomplete. */
export function parseStringSequence(text: string, index: number): ParsedSequence | undefined {
  STRING_END.lastIndex = index + 2;
  const end = STRING_END.exec(text);
  if (end === null) return text.length - index > MAX_STRING ? { sequence: NOTHING, length: MAX_STRING } : undefined;
  const length = end.index + end[0].length - index;
  const color = text[index + 1] === ']' ? COLOR.exec(text.slice(index + 2, end.index)) : null;
  if (color === null) return { sequence: other(text.slice(index, index + length)), length };
  return { sequence: report({ kind: 'color', slot: Number(color[1]), value: color[2]! }), length };
}

interface CsiParts {
  readonly whole: string;
  readonly parameters: string;
  readonly between: string;
  readonly final: string;
  readonly expectsCursor: boolean;
}

function understand(parts: CsiParts): Sequence {
  const { whole, parameters, between, final } = parts;
  if (parameters.startsWith('<') && (final === 'M' || final === 'm')) return toMouse(parameters, final === 'm');
  if (parameters.startsWith('?')) return toPrivateReport(parts);
  if (parameters.startsWith('>') && final === 'c') return report({ kind: 'device', data: parameters });
  if (between !== '' || /^[<=>]/.test(parameters)) return other(whole);
  return toKeySequence(parts);
}

function toKeySequence({ whole, parameters, final, expectsCursor }: CsiParts): Sequence {
  const [first = '', second = '', third = ''] = parameters.split(';');
  switch (final) {
    case 'I':
    case 'O':
      return parameters === '' ? { type: 'focus', isFocused: final === 'I' } : other(whole);
    case 'Z':
      return keySequence('tab', { shift: true });
    case 'u':
      return toKittyKey(first, second, third);
    case '~':
      return toTildeKey(whole, first, second, third);
    case '^':
      return numberKey(Number(first), { ctrl: true });
    case '@':
      return numberKey(Number(first), { ctrl: true, shift: true });
    case 'R':
      // F3 with modifiers and the answer to a query look alike in the first line.
      if (second !== '' && (expectsCursor || first !== '1')) {
        return report({ kind: 'cursor', row: Number(first), column: Number(second) });
      }
      return letterKey(whole, final, second);
    default: {
      const arrow = RXVT_ARROWS.get(final);
      if (arrow !== undefined && parameters === '') return keySequence(arrow, { shift: true });
      return letterKey(whole, final, second);
    }
  }
}

function letterKey(whole: string, final: string, modifiers: string): Sequence {
  const name = KEYS_BY_LETTER.get(final);
  if (name === undefined) return other(whole);
  return isRelease(modifiers) ? NOTHING : keySequence(name, toModifiers(Number.parseInt(modifiers, 10)));
}

function toTildeKey(whole: string, first: string, second: string, third: string): Sequence {
  const number = Number(first);
  if (number === 200) return { type: 'paste_start' };
  if (number === 201) return { type: 'paste_end' };
  if (number === 27 && third !== '') return toKittyKey(third, second, '');
  if (!KEYS_BY_NUMBER.has(number)) return other(whole);
  return isRelease(second) ? NOTHING : numberKey(number, toModifiers(Number.parseInt(second, 10)));
}

function toKittyKey(codes: string, modifierField: string, textField: string): Sequence {
  if (isRelease(modifierField)) return NOTHING;
  const [code = 0, shifted] = codes.split(':').map(Number);
  const modifiers = toModifiers(Number.parseInt(modifierField, 10));
  const name = KEYS_BY_CODE_POINT.get(code);
  if (name !== undefined) {
    const text = name === 'space' ? ' ' : name.length === 1 ? name : '';
    return { type: 'key', key: createKey(name, modifiers, text) };
  }
  if (!isCharacter(code)) return NOTHING;
  const base = String.fromCodePoint(code);
  const isShiftedOnly = modifiers.shift && !modifiers.ctrl && !modifiers.alt && !modifiers.cmd;
  const written = toWritten(textField) ?? (shifted ? String.fromCodePoint(shifted) : base.toUpperCase());
  if (isShiftedOnly) return { type: 'key', key: createKey(written, {}, written) };
  return { type: 'key', key: createKey(base.toLowerCase(), modifiers, toWritten(textField) ?? base) };
}

function toWritten(textField: string): string | undefined {
  const codes = textField.split(':').map(Number).filter(isCharacter);
  return codes.length === 0 ? undefined : String.fromCodePoint(...codes);
}

/** Not a control character, half a surrogate pair, or one of kitty's keys without text. */
function isCharacter(code: number): boolean {
  return code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && !(code >= 57344 && code <= 63743);
}

function toPrivateReport({ whole, parameters, between, final }: CsiParts): Sequence {
  const [first = 0, second = 0] = parameters.slice(1).split(';').map(Number);
  if (final === 'u') return report({ kind: 'keyboard', flags: first });
  if (final === 'c') return report({ kind: 'device', data: parameters });
  if (final === 'R') return report({ kind: 'cursor', row: first, column: second });
  if (final === 'y' && between === '$') return report({ kind: 'mode', mode: first, value: second });
  return other(whole);
}

function toMouse(parameters: string, isReleased: boolean): Sequence {
  const [button = 0, column = 0, row = 0] = parameters.slice(1).split(';').map(Number);
  return report({ kind: 'mouse', button, column, row, isRelease: isReleased });
}

/** X10: three characters after the letter, each 32 too high. */
function parseOldMouse(text: string, index: number): ParsedSequence | undefined {
  if (text.length < index + 6) return undefined;
  const [button = 0, column = 0, row = 0] = [3, 4, 5].map((offset) => text.charCodeAt(index + offset) - 32);
  return { sequence: report({ kind: 'mouse', button, column, row, isRelease: (button & 3) === 3 }), length: 6 };
}

function parseConsoleKey(text: string, index: number): ParsedSequence | undefined {
  const letter = text[index + 3];
  if (letter === undefined) return undefined;
  const name = CONSOLE_KEYS.get(letter);
  return { sequence: name === undefined ? NOTHING : keySequence(name), length: 4 };
}

/** Kitty's third event type is a key release. */
function isRelease(modifierField: string): boolean {
  return modifierField.endsWith(':3');
}

function toModifiers(field: number): Modifiers {
  const bits = Number.isNaN(field) || field < 1 ? 0 : field - 1;
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0 || (bits & 32) !== 0,
    ctrl: (bits & 4) !== 0,
    cmd: (bits & 8) !== 0,
  };
}

function numberKey(number: number, modifiers: Modifiers): Sequence {
  const name = KEYS_BY_NUMBER.get(number);
  return name === undefined ? NOTHING : keySequence(name, modifiers);
}

function keySequence(name: string, modifiers: Modifiers = {}): Sequence {
  return { type: 'key', key: createKey(name, modifiers) };
}

function report(value: InputReport): Sequence {
  return { type: 'report', report: value };
}

function other(sequence: string): Sequence {
  return report({ kind: 'other', sequence });
}
