/**
 * Finds the differences between a text and the part of a file aligned with it. A gap that
 * could begin at several tokens is moved to where it spans whole lines.
 */

import type { Alignment } from './align-tokens.ts';
import { beginsLine } from './lined-keys.ts';
import type { Tokens } from './tokens.ts';

/** Tokens `from` to `to` of the old text against tokens `first` to `last` of the file, ends exclusive. */
export interface Difference {
  from: number;
  to: number;
  first: number;
  last: number;
}

const MAX_SLIDE = 60;

/** The differences in order. `file` holds only the candidate part. */
export function findDifferences(old: Tokens, alignment: Alignment, file: Tokens): Difference[] {
  const partners = slideToLines(alignment.partners, file);
  const differences: Difference[] = [];
  let open: Difference | undefined;
  let next = 0;
  for (let index = 0; index <= old.keys.length; index++) {
    const isEnd = index === old.keys.length;
    const partner = isEnd ? file.keys.length : partners[index]!;
    const isEqual = isEnd || (partner !== -1 && old.keys[index] === file.keys[partner]);
    if (!isEqual) {
      open ??= { from: index, to: index, first: next, last: next };
      continue;
    }
    if (open === undefined && partner > next) open = { from: index, to: index, first: next, last: next };
    if (open !== undefined) differences.push({ ...open, to: index, last: partner });
    open = undefined;
    next = partner + 1;
  }
  return differences.map((difference, index) => slideInRun(old, file, difference, differences[index + 1]));
}

/** When the old text lacks one mark of a run, the difference is placed at the last mark: all of the run are equal. */
function slideInRun(old: Tokens, file: Tokens, difference: Difference, next: Difference | undefined): Difference {
  let { from, first, last } = difference;
  const end = next?.from ?? old.keys.length;
  const mark = file.keys[first];
  if (from !== difference.to || last - first !== 1) return difference;
  const goesOn = () => file.keys[last] === mark && old.keys[from] === mark && !beginsLine(file, last);
  while (from < end && goesOn()) [from, first, last] = [from + 1, last, last + 1];
  return { from, to: from, first, last };
}

/** Of two gaps of the same length, prefers the one that spans whole lines. */
function slideToLines(original: readonly number[], file: Tokens): number[] {
  const partners = [...original];
  for (let index = 1; index < partners.length; index++) {
    const [start, end] = [partners[index - 1]! + 1, partners[index]!];
    if (partners[index - 1] === -1 || end - start < 1 || (beginsLine(file, start) && beginsLine(file, end))) continue;
    const left = slide(file, start, end, -1);
    if (left > 0 && partners.slice(index - left, index).every((partner, at) => partner === start - left + at)) {
      for (let moved = 1; moved <= left; moved++) partners[index - moved] = end - moved;
      continue;
    }
    const right = slide(file, start, end, 1);
    if (right > 0 && partners.slice(index, index + right).every((partner, at) => partner === end + at)) {
      for (let moved = 0; moved < right; moved++) partners[index + moved] = start + moved;
    }
  }
  return partners;
}

/** How far a gap can slide over tokens equal at both its ends until it begins and ends with a line; 0 when it cannot. */
function slide(file: Tokens, start: number, end: number, direction: 1 | -1): number {
  const { keys } = file;
  for (let moved = 1; moved <= MAX_SLIDE; moved++) {
    const isSame =
      direction === 1 ? keys[start + moved - 1] === keys[end + moved - 1] : keys[start - moved] === keys[end - moved];
    const from = start + moved * direction;
    if (!isSame || from < 0 || end + moved * direction > keys.length) return 0;
    if (beginsLine(file, from) && beginsLine(file, end + moved * direction)) return moved;
  }
  return 0;
}
