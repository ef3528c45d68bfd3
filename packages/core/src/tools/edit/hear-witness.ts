/**
 * Classifies a difference between the old text and the file by the new text: it agrees
 * with the file, repeats the slip, or contains neither because the edit changes that spot.
 * Anything in between is ambiguous.
 */

import type { Difference } from './differences.ts';
import { countOf } from './key-lists.ts';
import type { Kept } from './kept-tokens.ts';
import { beginsLine } from './lined-keys.ts';
import { isOpen } from './open-differences.ts';
import type { Texts } from './open-differences.ts';
import type { Patch } from './patch-text.ts';
import type { Tokens } from './tokens.ts';

/** Which side of a difference the new text supports. */
export type Witness = 'file' | 'slip' | 'neither';

/** Classifies a difference; where the new text repeats the slip, returns the patch that corrects it. Undefined when ambiguous. */
export function hear(texts: Texts, difference: Difference): Witness | Patch | undefined {
  const { from, to, first, last } = difference;
  const { keptOld, keptFile, next } = texts;
  if (isOpen(texts, difference)) return undefined;
  if (first === last && isNoMore(texts, difference)) return 'file';
  if (isRunShort(texts, difference)) return hearRun(texts, difference);
  const saysOld = isKept(keptOld, from, to, next);
  const saysFile = isKept(keptFile, first, last, next) && !(saysOld && first === last);
  if (saysFile && saysOld && (from < to || !isWholeIn(texts, difference))) return undefined;
  if (saysFile) return isMoved(texts, difference) ? undefined : 'file';
  return saysOld ? putRight(texts, difference) : hearChanged(texts, difference);
}

/** Classifies a difference at a spot the new text changes. */
function hearChanged(texts: Texts, difference: Difference): Witness | Patch | undefined {
  return difference.from < difference.to ? hearReplaced(texts, difference) : hearBeside(texts, difference);
}

/** Whether the old text has one mark less of a run than the file, and the new text has a run there too. */
function isRunShort({ file, keptOld }: Texts, { from, to, first, last }: Difference): boolean {
  const isRun = last - first === 1 && !beginsLine(file, first) && file.keys[first] === file.keys[first - 1];
  return isRun && from === to && from > 0 && keptOld[from - 1] !== -1;
}

/** Compares runs by their length, not mark by mark. */
function hearRun(texts: Texts, difference: Difference): Witness | Patch | undefined {
  const { old, next, file, keptOld } = texts;
  const said = runLength(next.keys, keptOld[difference.from - 1]!);
  if (said === runLength(file.keys, difference.first)) return 'file';
  return said === runLength(old.keys, difference.from - 1) ? putRight(texts, difference) : undefined;
}

function runLength(keys: readonly string[], at: number): number {
  let [from, to] = [at, at];
  while (keys[from - 1] === keys[at]) from--;
  while (keys[to + 1] === keys[at]) to++;
  return to - from + 1;
}

/** The patch that replaces the slip in the new text with the file's tokens. */
function putRight(texts: Texts, { from, to, first, last }: Difference): Patch {
  const begin = from < to ? texts.keptOld[from]! : leftOf(texts.keptOld, from) + 1;
  const end = begin + to - from;
  return { from: begin, to: end, first, last, setsGlue: isSameGlue(texts, to, end) };
}

/** Whether the old text has a surplus line that the new text contains no more often than the file. */
function isNoMore({ old, next, file }: Texts, { from, to }: Difference): boolean {
  if (!beginsLine(old, from) || !beginsLine(old, to)) return false;
  const piece = old.keys.slice(from, to);
  return countOf(next.keys, piece) <= countOf(file.keys, piece);
}

/** Whether the new text contains the tokens `from` to `to` contiguously, next to their neighbours. */
function isKept(kept: Kept, from: number, to: number, next: Tokens): boolean {
  const before = from === 0 ? -1 : kept[from - 1]!;
  const behind = to === kept.length ? next.keys.length : kept[to]!;
  const hasBefore = from === 0 || before !== -1;
  const hasBehind = to === kept.length || behind !== -1;
  if (from === to) return hasBefore && hasBehind && behind === before + 1;
  const start = kept[from]!;
  const isWhole = start !== -1 && kept.slice(from, to).every((place, index) => place === start + index);
  if (!isWhole) return false;
  const touches = (hasBefore && before + 1 === start) || (hasBehind && behind === start + to - from);
  return touches || (!hasBefore && !hasBehind);
}

/** Whether the new text contains the tokens contiguously with both neighbours, or at the end of their line. */
function isWholeIn({ keptFile, file, next }: Texts, { first, last }: Difference): boolean {
  const before = first === 0 ? -1 : keptFile[first - 1]!;
  const behind = last === keptFile.length ? next.keys.length : keptFile[last]!;
  const isBehindOwn = keptFile[first] === before + 1 && (first === 0 || before !== -1);
  return isBehindOwn && (behind === before + 1 + last - first || !beginsLine(file, first));
}

/** Classifies wrong tokens of the old text where the new text has neither them nor the file's tokens. */
function hearReplaced({ old, next, keptOld }: Texts, { from, to }: Difference): Witness | undefined {
  if (keptOld.slice(from, to).some((place) => place !== -1)) return undefined;
  const between = next.keys.slice(leftOf(keptOld, from) + 1, rightOf(keptOld, to, next.keys.length));
  const isRepeated =
    countOf(between, old.keys.slice(Math.max(0, from - 1), to)) + countOf(between, old.keys.slice(from, to + 1)) > 0;
  return isRepeated ? undefined : 'neither';
}

/** Classifies extra tokens of the file next to tokens the new text changes. */
function hearBeside(texts: Texts, difference: Difference): Witness | Patch | undefined {
  const { old, next, file, keptOld } = texts;
  const { from, first, last } = difference;
  const left = leftOf(keptOld, from);
  const isLeftKept = from === 0 || keptOld[from - 1] !== -1;
  const isRightKept = from === keptOld.length || keptOld[from] !== -1;
  const isBetweenLines = beginsLine(old, from);
  const [beginsWhole, endsWhole] = [beginsLine(file, first), beginsLine(file, last)];
  if (!isLeftKept && !isRightKept) return 'neither';
  const keepAt = (at: number, goesWithNext = false): Patch => {
    return { from: at, to: at, first, last, goesWithNext, setsGlue: isSameGlue(texts, from, at) };
  };
  if (!isBetweenLines) return undefined;
  // Whole lines next to replaced lines stay; next to inserted lines their side is ambiguous.
  if (beginsWhole && endsWhole) {
    if (isLeftKept === isRightKept) return undefined;
    return isLeftKept ? keepAt(left + 1) : keepAt(rightOf(keptOld, from, next.keys.length), true);
  }
  // The end of a line stays or is removed together with its line.
  if (isLeftKept) return !beginsWhole && beginsLine(next, left + 1) ? keepAt(left + 1) : undefined;
  return beginsWhole ? undefined : 'neither';
}

/** Whether the new text has the same whitespace before a token as the old one, so that it holds no information on the file's. */
function isSameGlue({ old, next }: Texts, from: number, at: number): boolean {
  const glueOf = ({ text, starts, ends }: Tokens, index: number) => text.slice(ends[index - 1] ?? 0, starts[index]);
  return glueOf(old, from) === glueOf(next, at);
}

/** The index in the new text of the nearest kept token before `from`; -1 is the beginning. */
function leftOf(kept: Kept, from: number): number {
  return kept.slice(0, from).findLast((place) => place !== -1) ?? -1;
}

function rightOf(kept: Kept, to: number, end: number): number {
  return kept.slice(to).find((place) => place !== -1) ?? end;
}

/** Whether the old text contains the missing tokens elsewhere and the new text has them no more often: ambiguous. */
function isMoved({ old, next, file }: Texts, { from, to, first, last }: Difference): boolean {
  const isWhole = beginsLine(file, first) && beginsLine(file, last);
  if (from < to || (last - first < 2 && !isWhole)) return false;
  const piece = file.keys.slice(first, last);
  return countOf(old.keys, piece) > 0 && countOf(next.keys, piece) <= countOf(old.keys, piece);
}
