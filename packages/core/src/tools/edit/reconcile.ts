/**
 * What a model got wrong about a file, put right in both of its texts, so that what is
 * left is an edit to the letter. Each difference between the old text and the file is
 * one of three: the new text says what the file says (the slip is in the old one
 * alone), the new text repeats the slip (the file's own text goes into both), or the
 * edit replaces it (the new text counts). Anything else is a conflict, and no edit.
 */

import type { Difference } from './differences.ts';
import { beginsLine } from './lined-keys.ts';
import { keptIn } from './kept-tokens.ts';
import type { Kept } from './kept-tokens.ts';
import { patchText } from './patch-text.ts';
import type { Patch } from './patch-text.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** What the new text says of a difference. */
export type Witness = 'file' | 'slip' | 'neither';

export interface Reconciled {
  /** The old text as the file has it, token for token. */
  old: Tokens;
  replacement: string;
  /** For each difference, in order. */
  witnesses: Witness[];
}

interface Texts {
  old: Tokens;
  next: Tokens;
  /** The part of the file meant and nothing else. */
  file: Tokens;
  keptOld: Kept;
  keptFile: Kept;
}

/** Undefined where the edit cannot be told from what the model got wrong. */
export function reconcile(
  old: Tokens,
  replacement: string,
  file: Tokens,
  differences: readonly Difference[],
  pairsLate: boolean,
): Reconciled | undefined {
  const corrected = tokenize(
    patchText(
      old,
      differences.map((difference) => ({ ...difference, setsGlue: true })),
      file,
    ),
  );
  if (corrected.keys.join(' ') !== file.keys.join(' ')) return undefined;
  const next = tokenize(replacement);
  const texts = {
    old,
    next,
    file,
    keptOld: keptIn(old, next, pairsLate),
    keptFile: keptIn(corrected, next, pairsLate),
  };
  const witnesses: Witness[] = [];
  const patches: Patch[] = [];
  for (const difference of differences) {
    const finding = hear(texts, difference);
    if (finding === undefined) return undefined;
    witnesses.push(typeof finding === 'string' ? finding : 'slip');
    if (typeof finding !== 'string') patches.push(finding);
  }
  return { old: corrected, replacement: patchText(next, patches, file), witnesses };
}

/** What the new text says; where it repeats the slip, what is to be put into it. */
function hear(texts: Texts, difference: Difference): Witness | Patch | undefined {
  const { from, to, first, last } = difference;
  const { keptOld, keptFile, next } = texts;
  if (isOpenAtEnd(texts, difference)) return undefined;
  if (first === last && isNoMore(texts, difference)) return 'file';
  const saysOld = isKept(keptOld, from, to, next);
  const saysFile = isKept(keptFile, first, last, next) && !(saysOld && first === last);
  if (saysFile && saysOld && (from < to || !isWholeIn(texts, difference))) return undefined;
  if (saysFile) return isMoved(texts, difference) ? undefined : 'file';
  if (saysOld) {
    const begin = from < to ? keptOld[from]! : leftOf(keptOld, from) + 1;
    return { from: begin, to: begin + to - from, first, last, setsGlue: isSameGlue(texts, from, begin) };
  }
  return from < to ? hearReplaced(texts, difference) : hearBeside(texts, difference);
}

/** At an end, lines that do not answer to each other leave open what else belongs to the place. */
function isOpenAtEnd({ old, file, keptOld }: Texts, { from, to, first, last }: Difference): boolean {
  if (from > 0 && to < keptOld.length) return false;
  return first === last || countLines(old, from, to) > countLines(file, first, last);
}

function countLines(tokens: Tokens, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (beginsLine(tokens, index)) count++;
  return count;
}

/** Whether the new text has what the old one has too much no more often than the file. */
function isNoMore({ old, next, file }: Texts, { from, to }: Difference): boolean {
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
  if (from < to || last - first < 2) return false;
  const piece = file.keys.slice(first, last);
  return countOf(old.keys, piece) > 0 && countOf(next.keys, piece) <= countOf(old.keys, piece);
}

/** How often one list has the other in it, in one piece. */
function countOf(list: readonly string[], part: readonly string[]): number {
  return ` ${list.join('  ')} `.split(` ${part.join('  ')} `).length - 1;
}
