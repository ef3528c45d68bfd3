/**
 * What a new text says about a difference between its old text and the file. It says
 * what the file says, repeats the slip, or has neither since it changes that place;
 * anything in between leaves open what is meant.
 */

import type { Difference } from './differences.ts';
import { countOf } from './key-lists.ts';
import type { Kept } from './kept-tokens.ts';
import { beginsLine } from './lined-keys.ts';
import type { Patch } from './patch-text.ts';
import { isWord } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** What the new text says of a difference. */
export type Witness = 'file' | 'slip' | 'neither';

export interface Texts {
  old: Tokens;
  next: Tokens;
  /** The part of the file meant and nothing else. */
  file: Tokens;
  keptOld: Kept;
  keptFile: Kept;
}

/** What the new text says; where it repeats the slip, what is to be put into it. */
export function hear(texts: Texts, difference: Difference): Witness | Patch | undefined {
  const { from, to, first, last } = difference;
  const { keptOld, keptFile, next } = texts;
  if (isOpen(texts, difference)) return undefined;
  if (first === last && isNoMore(texts, difference)) return 'file';
  const saysOld = isKept(keptOld, from, to, next);
  const saysFile = isKept(keptFile, first, last, next) && !(saysOld && first === last);
  if (saysFile && saysOld && (from < to || !isWholeIn(texts, difference))) return undefined;
  if (saysFile) return isMoved(texts, difference) ? undefined : 'file';
  if (saysOld) return putRight(texts, difference);
  return from < to ? hearReplaced(texts, difference) : hearBeside(texts, difference);
}

/** What the file has, for the slip the new text repeats. */
function putRight(texts: Texts, { from, to, first, last }: Difference): Patch {
  const begin = from < to ? texts.keptOld[from]! : leftOf(texts.keptOld, from) + 1;
  return { from: begin, to: begin + to - from, first, last, setsGlue: isSameGlue(texts, from, begin) };
}

/** Whether it is open which place or which part of it is meant, whatever the new text says. */
function isOpen(texts: Texts, difference: Difference): boolean {
  const isLacking = difference.first === difference.last;
  return isOpenAtEnd(texts, difference) || isTakenAway(texts, difference) || (isLacking && isMadeUp(texts, difference));
}

/** At an end, lines that do not answer to each other leave open what else belongs to the place. */
function isOpenAtEnd({ old, file }: Texts, { from, to, first, last }: Difference): boolean {
  const end = old.keys.length;
  // What is there twice may as well be the one at the end.
  const reachesStart = from === 0 || (first === last && isSameRun(old.keys, 0, to - from, from));
  const reachesEnd = to === end || (first === last && isSameRun(old.keys, from, to, end - to));
  if (!reachesStart && !reachesEnd) return false;
  return first === last || countLines(old, from, to) > countLines(file, first, last);
}

function isSameRun(keys: readonly string[], a: number, b: number, length: number): boolean {
  return keys.slice(a, a + length).every((key, index) => key === keys[b + index]);
}

function countLines(tokens: Tokens, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (beginsLine(tokens, index)) count++;
  return count;
}

/** Whether the old text has brackets that the file lacks, and no words with them: nobody makes those up, so it is another place. */
function isMadeUp({ old }: Texts, { from, to }: Difference): boolean {
  const piece = old.keys.slice(from, to);
  return piece.some((key) => '()[]{}'.includes(key)) && !piece.some(isWord);
}

/** Whether the old text has a line too much, and the new one has it no more often than the file. */
function isNoMore({ old, next, file }: Texts, { from, to }: Difference): boolean {
  if (!beginsLine(old, from) || !beginsLine(old, to)) return false;
  const piece = old.keys.slice(from, to);
  return countOf(next.keys, piece) <= countOf(file.keys, piece);
}

/** Whether the new text has the tokens `from` to `to` in one piece, beside what is around them. */
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

/** Whether the new text has the tokens with both that are beside them in one piece, or at the end of their line. */
function isWholeIn({ keptFile, file, next }: Texts, { first, last }: Difference): boolean {
  const before = first === 0 ? -1 : keptFile[first - 1]!;
  const behind = last === keptFile.length ? next.keys.length : keptFile[last]!;
  const isBehindOwn = keptFile[first] === before + 1 && (first === 0 || before !== -1);
  return isBehindOwn && (behind === before + 1 + last - first || !beginsLine(file, first));
}

/** The old text is wrong about what it has here, and the new one has neither that nor what the file has. */
function hearReplaced({ old, next, keptOld }: Texts, { from, to }: Difference): Witness | undefined {
  if (keptOld.slice(from, to).some((place) => place !== -1)) return undefined;
  const between = next.keys.slice(leftOf(keptOld, from) + 1, rightOf(keptOld, to, next.keys.length));
  const isRepeated =
    countOf(between, old.keys.slice(Math.max(0, from - 1), to)) + countOf(between, old.keys.slice(from, to + 1)) > 0;
  return isRepeated ? undefined : 'neither';
}

/** The file has tokens more, and the new text changes what is beside them. */
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
  // Beside lines that are replaced, whole lines stay; where lines are only put in, it is open on which side.
  if (beginsWhole && endsWhole) {
    if (isLeftKept === isRightKept) return undefined;
    return isLeftKept ? keepAt(left + 1) : keepAt(rightOf(keptOld, from, next.keys.length), true);
  }
  // What ends a line stays or goes with it.
  if (isLeftKept) return !beginsWhole && beginsLine(next, left + 1) ? keepAt(left + 1) : undefined;
  return beginsWhole ? undefined : 'neither';
}

/** Whether the new text has the same whitespace before a token as the old one: it knows nothing of what is there. */
function isSameGlue({ old, next }: Texts, from: number, at: number): boolean {
  const glueOf = ({ text, starts, ends }: Tokens, index: number) => text.slice(ends[index - 1] ?? 0, starts[index]);
  return glueOf(old, from) === glueOf(next, at);
}

/** The place in the new text of the nearest kept token before; -1 is its beginning. */
function leftOf(kept: Kept, from: number): number {
  return kept.slice(0, from).findLast((place) => place !== -1) ?? -1;
}

function rightOf(kept: Kept, to: number, end: number): number {
  return kept.slice(to).find((place) => place !== -1) ?? end;
}

/** Whether the old text has elsewhere what it lacks here, and the new one has it no more often: it is open which is meant. */
function isMoved({ old, next, file }: Texts, { from, to, first, last }: Difference): boolean {
  const isWhole = beginsLine(file, first) && beginsLine(file, last);
  if (from < to || (last - first < 2 && !isWhole)) return false;
  const piece = file.keys.slice(first, last);
  return countOf(old.keys, piece) > 0 && countOf(next.keys, piece) <= countOf(old.keys, piece);
}

/** Whether the edit takes away elsewhere what the old text lacks here: it is open which of the two is meant. */
function isTakenAway({ old, next, file }: Texts, { from, to, first, last }: Difference): boolean {
  const piece = file.keys.slice(first, last);
  return from === to && last - first > 1 && countOf(next.keys, piece) < countOf(old.keys, piece);
}
