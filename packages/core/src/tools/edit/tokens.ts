/**
 * Splits text into tokens: runs of word characters and single marks, with whitespace
 * between them. Tokens are equal when their keys are: typographic quotes and dashes count
 * as plain ones, composed characters as decomposed ones, undecodable bytes as U+FFFD.
 * Scanning needs no context, so it works from any token in both directions.
 */

export interface Tokens {
  text: string;
  starts: number[];
  ends: number[];
  /** The normalized forms by which tokens are compared. */
  keys: string[];
}

const Kind = { Space: 0, Word: 1, Mark: 2 } as const;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 32 || (code >= 9 && code <= 13)) return Kind.Space;
  return /[\w$]/.test(String.fromCharCode(code)) ? Kind.Word : Kind.Mark;
});

const WIDE_SPACE = /[\s\u0085\u00AD\u180E\u200B-\u200F\u2060\uFEFF]/;
const WIDE_MARK =
  /[\u00A1-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2010-\u2027\u2030-\u205E\u2190-\u23FF\u3001-\u3003\u3008-\u3011\u2212\uFF01-\uFF0F\uFF1A-\uFF20]/;

function kindOf(code: number): number {
  if (code < 128) return ASCII_KINDS[code]!;
  const character = String.fromCharCode(code);
  if (WIDE_SPACE.test(character)) return Kind.Space;
  return WIDE_MARK.test(character) ? Kind.Mark : Kind.Word;
}

export function isSpaceAt(text: string, index: number): boolean {
  return kindOf(text.charCodeAt(index)) === Kind.Space;
}

export function tokenize(text: string, from = 0, to = text.length): Tokens {
  const tokens: Tokens = { text, starts: [], ends: [], keys: [] };
  for (let at = from; at < to;) {
    const start = skipSpace(text, at, to);
    if (start >= to) break;
    at = tokenEnd(text, start, to);
    tokens.starts.push(start);
    tokens.ends.push(at);
    tokens.keys.push(toKey(text.slice(start, at)));
  }
  return tokens;
}

/** The first index at or after `at` that is not whitespace. */
export function skipSpace(text: string, at: number, to = text.length): number {
  while (at < to && kindOf(text.charCodeAt(at)) === Kind.Space) at++;
  return at;
}

/** The index after the last non-whitespace character before `at`. */
export function skipSpaceBack(text: string, at: number): number {
  while (at > 0 && kindOf(text.charCodeAt(at - 1)) === Kind.Space) at--;
  return at;
}

export function tokenEnd(text: string, start: number, to = text.length): number {
  if (kindOf(text.charCodeAt(start)) !== Kind.Word) return start + 1;
  let end = start + 1;
  while (end < to && kindOf(text.charCodeAt(end)) === Kind.Word) end++;
  return end;
}

export function tokenStart(text: string, end: number): number {
  if (kindOf(text.charCodeAt(end - 1)) !== Kind.Word) return end - 1;
  let start = end - 1;
  while (start > 0 && kindOf(text.charCodeAt(start - 1)) === Kind.Word) start--;
  return start;
}

export function isWord(key: string): boolean {
  return kindOf(key.charCodeAt(0)) === Kind.Word;
}

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201B\u2032\u00B4\uFF07]/g, "'"],
  [/[\u201C-\u201F\u2033\u00AB\u00BB\uFF02]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  // decodeText turns undecodable bytes into lone surrogates.
  [/[\uFFFD\uDC80-\uDCFF]+/gu, '\uFFFD'],
];

export function toKey(token: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII
  if (/^[\u0000-\u007F]*$/.test(token)) return token;
  return PLAIN.reduce((text, [pattern, plain]) => text.replaceAll(pattern, plain), token).normalize('NFC');
}
