/**
 * An old text that was cut short: the new one has at its end what follows the old one
 * in the file. The old text then gets it too, or the file would have it twice. Brackets
 * decide where both readings are possible.
 */

import { beginsLine } from './lined-keys.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** The tokens of the file from `from` to `to`, end exclusive, which `old` stands for. */
export interface Reach {
  old: Tokens;
  file: Tokens;
  from: number;
  to: number;
}

/** As many tokens of the old text must follow for the new one to go on with it. */
const MIN_GOING_ON = 3;
const MAX_ADDED = 60;

/** Whole lines are added only where the old text may lack them: it is not laid out as the file. */
export function reachEnds(reach: Reach, next: Tokens, mayAddLines: boolean): Reach {
  const withEnd = addBehind(reach, next, countBehind(reach, next, mayAddLines));
  return addBefore(withEnd, next, countBefore(withEnd, next, mayAddLines));
}

/** Whether the place ends amid a line where the new text ends otherwise than the old one: it is open what belongs to it. */
export function isCutShort({ old, file, from, to }: Reach, next: Tokens): boolean {
  const isOpen = (place: number, a: string | undefined, b: string | undefined) => !beginsLine(file, place) && a !== b;
  return isOpen(to, old.keys.at(-1), next.keys.at(-1)) || isOpen(from, old.keys[0], next.keys[0]);
}

/** How many tokens behind the place, to the end of a line, the new text has and the old one lacks. */
function countBehind({ old, file, to }: Reach, next: Tokens, mayAddLines: boolean): number {
  const isAmidLine = !beginsLine(file, to);
  const goesOn = old.keys.slice(-MIN_GOING_ON);
  for (let count = 1; count <= MAX_ADDED && to + count <= file.keys.length; count++) {
    if (!beginsLine(file, to + count)) continue;
    const added = file.keys.slice(to, to + count);
    if (isAmidLine && holds(next.keys, [...goesOn, ...added])) return count;
    if (isAmidLine && endsWith(next.keys, added) && !endsWith(old.keys, added)) return count;
    if (!mayAddLines) return 0;
    if (endsWith(next.keys, [...goesOn, ...added]) && !endsWith(next.keys, goesOn)) return count;
  }
  return 0;
}

function countBefore({ old, file, from }: Reach, next: Tokens, mayAddLines: boolean): number {
  const isAmidLine = !beginsLine(file, from);
  const goesOn = old.keys.slice(0, MIN_GOING_ON);
  for (let count = 1; count <= MAX_ADDED && from - count >= 0; count++) {
    if (!beginsLine(file, from - count)) continue;
    const added = file.keys.slice(from - count, from);
    if (isAmidLine && startsWith(next.keys, added) && !startsWith(old.keys, added)) return count;
    if (!mayAddLines) return 0;
    if (startsWith(next.keys, [...added, ...goesOn]) && !startsWith(next.keys, goesOn)) return count;
  }
  return 0;
}

function addBehind(reach: Reach, next: Tokens, count: number): Reach {
  const { old, file, from, to } = reach;
  const added = file.keys.slice(to, to + count);
  if (count === 0 || leavesBrackets(reach, next, added)) return reach;
  const end = old.ends.at(-1)!;
  const text = old.text.slice(0, end) + file.text.slice(file.ends[to - 1], file.ends[to + count - 1]);
  return { old: tokenize(text + old.text.slice(end)), file, from, to: to + count };
}

function addBefore(reach: Reach, next: Tokens, count: number): Reach {
  const { old, file, from, to } = reach;
  const added = file.keys.slice(from - count, from);
  if (count === 0 || leavesBrackets(reach, next, added)) return reach;
  const text = file.text.slice(file.starts[from - count], file.starts[from]) + old.text.slice(old.starts[0]);
  return { old: tokenize(text), file, from: from - count, to };
}

/** Whether the brackets come out even without what would be added, and not with it. */
function leavesBrackets({ file, from, to }: Reach, next: Tokens, added: readonly string[]): boolean {
  const wanted = depthOf(next.keys);
  const without = depthOf(file.keys.slice(from, to));
  return wanted === without && wanted !== without + depthOf(added);
}

function depthOf(keys: readonly string[]): number {
  let depth = 0;
  for (const key of keys) {
    if ('([{'.includes(key)) depth++;
    else if (')]}'.includes(key)) depth--;
  }
  return depth;
}

function endsWith(list: readonly string[], part: readonly string[]): boolean {
  return list.length >= part.length && part.every((key, index) => list[list.length - part.length + index] === key);
}

/** In one piece. */
function holds(list: readonly string[], part: readonly string[]): boolean {
  return ` ${list.join(' ')} `.includes(` ${part.join(' ')} `);
}

function startsWith(list: readonly string[], part: readonly string[]): boolean {
  return list.length >= part.length && part.every((key, index) => list[index] === key);
}
