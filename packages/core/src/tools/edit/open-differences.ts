/**
 * Finds differences between an old text and a place that leave the intended place or its
 * extent ambiguous, whatever the new text contains.
 */

import type { Difference } from './differences.ts';
import { countOf } from './key-lists.ts';
import type { Kept } from './kept-tokens.ts';
import { beginsLine } from './lined-keys.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';

export interface Texts {
  old: Tokens;
  next: Tokens;
  /** Only the candidate part of the file. */
  file: Tokens;
  keptOld: Kept;
  keptFile: Kept;
}

export function isOpen(texts: Texts, difference: Difference): boolean {
  const isLacking = difference.first === difference.last;
  if (isLacking && (isMadeUp(texts, difference) || isTorn(texts, difference))) return true;
  return isOpenAtEnd(texts, difference) || isTakenAway(texts, difference);
}

/** Whether lines at an end do not correspond: the extent of the place is then ambiguous. */
function isOpenAtEnd({ old, file }: Texts, { from, to, first, last }: Difference): boolean {
  const end = old.keys.length;
  if (to === end && first === last && isMarkTooMuch(old, from, file)) return false;
  // A repeated run may equally be the one at the end.
  const reachesStart = from === 0 || (first === last && isSameRun(old.keys, 0, to - from, from));
  const reachesEnd = to === end || (first === last && isSameRun(old.keys, from, to, end - to));
  if (!reachesStart && !reachesEnd) return false;
  return first === last || countLines(old, from, to) > countLines(file, first, last);
}

/** Whether the old text only adds a comma or semicolon at the end of a line. */
function isMarkTooMuch(old: Tokens, from: number, file: Tokens): boolean {
  const isMark = from === old.keys.length - 1 && /^[,;]$/.test(old.keys[from]!);
  return isMark && /^[^\S\n]*(?:\n|$)/.test(file.text.slice(file.ends.at(-1)));
}

function isSameRun(keys: readonly string[], a: number, b: number, length: number): boolean {
  return keys.slice(a, a + length).every((key, index) => key === keys[b + index]);
}

function countLines(tokens: Tokens, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (beginsLine(tokens, index)) count++;
  return count;
}

/** Whether the file lacks the end of one line and the beginning of the next, words included: it is a different line. */
function isTorn({ old }: Texts, { from, to }: Difference): boolean {
  const isWhole = beginsLine(old, from) && beginsLine(old, to);
  return !isWhole && countLines(old, from + 1, to) > 0 && old.keys.slice(from, to).some(isWord);
}

/**
 * Whether the old text has brackets without words that the file lacks: a slip does not add
 * brackets, so the place is a different one.
 */
function isMadeUp({ old }: Texts, { from, to }: Difference): boolean {
  const piece = old.keys.slice(from, to);
  return piece.some((key) => '()[]{}'.includes(key)) && !piece.some(isWord);
}

/** Whether the edit removes elsewhere the tokens the old text lacks here: it is ambiguous which of the two it removes. */
function isTakenAway({ old, next, file }: Texts, { from, to, first, last }: Difference): boolean {
  const piece = file.keys.slice(first, last);
  return from === to && last - first > 1 && countOf(next.keys, piece) < countOf(old.keys, piece);
}
