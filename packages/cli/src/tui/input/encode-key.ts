/**
 * Encodes a key as the bytes a terminal sends for it, for a program in a terminal of ours: xterm's encoding, whatever
 * protocol the key arrived by. Pure.
 */

import type { Key } from './key.ts';

const LETTERS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
};

const NUMBERS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  ...Object.fromEntries([15, 17, 18, 19, 20, 21, 23, 24].map((code, index) => [`f${index + 5}`, code])),
};

/** The first four belong to an older family than the others. */
const OLD_FUNCTION_KEYS: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };

const PLAIN: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  backspace: '\x7f',
  space: ' ',
};

/** Control and one of these; letters are counted from `a`. */
const CONTROLS: Readonly<Record<string, string>> = {
  space: '\0',
  '@': '\0',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '/': '\x1f',
  '?': '\x7f',
  backspace: '\b',
};

/** Empty for a key without bytes in any terminal. `hasApplicationCursor` is the mode the program has set. */
export function encodeKey(key: Key, { hasApplicationCursor = false } = {}): string {
  const { name, ctrl, alt, shift } = key;
  const sequence = encodeSequence(key, hasApplicationCursor);
  if (sequence !== undefined) return sequence;
  if (name === 'tab' && shift) return '\x1b[Z';
  const written = ctrl ? encodeControl(name) : key.text || encodePlain(name);
  return alt && written !== '' ? `\x1b${written}` : written;
}

/** Undefined for keys that insert text. */
function encodeSequence({ name, ctrl, alt, shift }: Key, hasApplicationCursor: boolean): string | undefined {
  const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  const isPlain = modifier === 1;
  const number = NUMBERS[name];
  if (number !== undefined) return isPlain ? `\x1b[${number}~` : `\x1b[${number};${modifier}~`;
  const letter = LETTERS[name] ?? OLD_FUNCTION_KEYS[name];
  if (letter === undefined) return undefined;
  if (!isPlain) return `\x1b[1;${modifier}${letter}`;
  return name in LETTERS && !hasApplicationCursor ? `\x1b[${letter}` : `\x1bO${letter}`;
}

/**
 * Encodes a paste as if it were typed: line ends become Enter, and other control characters are dropped. In brackets
 * where the program has enabled bracketed paste.
 */
export function encodePaste(text: string, { hasBracketedPaste = false } = {}): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be pasted
  const typed = text.replaceAll(/\r\n?|\n/g, '\r').replaceAll(/[\x00-\x08\x0a-\x0c\x0e-\x1f\x7f-\x9f]/g, '');
  return hasBracketedPaste ? `\x1b[200~${typed}\x1b[201~` : typed;
}

function encodeControl(name: string): string {
  if (/^[a-z]$/.test(name)) return String.fromCharCode(name.charCodeAt(0) - 96);
  return CONTROLS[name] ?? encodePlain(name);
}

function encodePlain(name: string): string {
  return PLAIN[name] ?? ([...name].length === 1 ? name : '');
}
