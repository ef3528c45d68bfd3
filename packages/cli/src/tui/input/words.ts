/**
 * Finds the beginnings and ends of words. A word is a run of letters, digits, marks and underscores of one script; vim
 * also counts runs of other signs, and a capital letter motion counts everything between blanks.
 */

import { nextBoundary, previousBoundary } from '../text/graphemes.ts';

export type CharacterClass = 'blank' | 'word' | 'han' | 'kana' | 'hangul' | 'sign';

const BLANK = /^\s/u;
const WORD = /^[\p{L}\p{N}\p{M}_]/u;
const HAN = /^\p{Script=Han}/u;
const KANA = /^[\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u;
const HANGUL = /^\p{Script=Hangul}/u;

export function classify(grapheme: string): CharacterClass {
  const code = grapheme.charCodeAt(0);
  if (code < 0x80) return BLANK.test(grapheme) ? 'blank' : WORD.test(grapheme) ? 'word' : 'sign';
  if (BLANK.test(grapheme)) return 'blank';
  if (HAN.test(grapheme)) return 'han';
  if (KANA.test(grapheme)) return 'kana';
  if (HANGUL.test(grapheme)) return 'hangul';
  return WORD.test(grapheme) ? 'word' : 'sign';
}

/** The end of the next word in the line, or its end. */
export function nextWordEnd(line: string, column: number): number {
  let offset = column;
  while (offset < line.length && !isPartOfWord(classAt(line, offset))) offset = nextBoundary(line, offset);
  const kind = classAt(line, offset);
  while (offset < line.length && classAt(line, offset) === kind) offset = nextBoundary(line, offset);
  return offset;
}

/** The beginning of the word before the place, or the line's. */
export function previousWordStart(line: string, column: number): number {
  let offset = column;
  while (offset > 0 && !isPartOfWord(classBefore(line, offset))) offset = previousBoundary(line, offset);
  const kind = classBefore(line, offset);
  while (offset > 0 && classBefore(line, offset) === kind) offset = previousBoundary(line, offset);
  return offset;
}

export function classAt(line: string, offset: number): CharacterClass {
  return classify(line.slice(offset, nextBoundary(line, offset)) || ' ');
}

function classBefore(line: string, offset: number): CharacterClass {
  return classify(line.slice(previousBoundary(line, offset), offset) || ' ');
}

function isPartOfWord(kind: CharacterClass): boolean {
  return kind !== 'blank' && kind !== 'sign';
}
