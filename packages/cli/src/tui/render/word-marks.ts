/**
 * Finds the words that differ between a removed and an added line, and marks ranges of a styled line. Lines that share
 * less than half of their words have none: everything would be marked. Pure.
 */

import type { Style } from '../theme/styles.ts';
import { PIECES } from '../text/row-width.ts';

/** Characters of the line's text, without styles. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface WordMarks {
  readonly removed: readonly Range[];
  readonly added: readonly Range[];
}

const NO_MARKS: WordMarks = { removed: [], added: [] };
const WORDS = /\w+|\s+|[^\w\s]/g;
/** Comparing longer lines costs more than the marks are worth. */
const MOST_WORDS = 300;
const LEAST_SHARED = 0.5;

export function markWords(removed: string, added: string): WordMarks {
  const before = removed.match(WORDS) ?? [];
  const after = added.match(WORDS) ?? [];
  if (before.length > MOST_WORDS || after.length > MOST_WORDS) return NO_MARKS;
  const pairs = commonWords(before, after);
  const isInk = (word: string | undefined) => word !== undefined && word.trim() !== '';
  const shared = pairs.filter(([index]) => isInk(before[index])).length;
  const all = before.filter(isInk).length + after.filter(isInk).length;
  if (all === 0 || (2 * shared) / all < LEAST_SHARED) return NO_MARKS;
  return {
    removed: rangesWithout(before, new Set(pairs.map(([index]) => index))),
    added: rangesWithout(after, new Set(pairs.map(([, index]) => index))),
  };
}

/** The line with `style` on its ranges; styles inside stay. */
export function applyMarks(styled: string, ranges: readonly Range[], style: Style): string {
  if (ranges.length === 0) return styled;
  let marked = '';
  let offset = 0;
  for (const [piece] of styled.matchAll(PIECES)) {
    if (piece.startsWith('\x1b')) {
      marked += piece;
      continue;
    }
    let position = 0;
    for (const { start, end } of ranges) {
      const from = Math.max(start - offset, position);
      const to = Math.min(end - offset, piece.length);
      if (to <= from) continue;
      marked += piece.slice(position, from) + style(piece.slice(from, to));
      position = to;
    }
    marked += piece.slice(position);
    offset += piece.length;
  }
  return marked;
}

/** The longest common sequence, as pairs of positions. */
function commonWords(before: readonly string[], after: readonly string[]): [number, number][] {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < before.length && column < after.length;) {
    if (before[row] === after[column]) pairs.push([row++, column++]);
    else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row++;
    else column++;
  }
  return pairs;
}

/** The ranges of the words that are not shared; neighbours are one range. */
function rangesWithout(words: readonly string[], shared: ReadonlySet<number>): Range[] {
  const ranges: { start: number; end: number }[] = [];
  let offset = 0;
  for (const [index, word] of words.entries()) {
    const end = offset + word.length;
    const last = ranges.at(-1);
    if (!shared.has(index)) {
      if (last?.end === offset) last.end = end;
      else ranges.push({ start: offset, end });
    }
    offset = end;
  }
  return ranges;
}
