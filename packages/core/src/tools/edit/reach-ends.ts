/**
 * Extends an old text that was cut short: the new text ends with text that follows the old
 * one in the file. Without the extension the file would contain it twice. Brackets decide
 * when both readings are possible.
 */

import { beginsLine } from './lined-keys.ts';
import { countOf, endsWith, startsWith } from './key-lists.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** The tokens of the file from `from` to `to`, end exclusive, that match `old`. */
export interface Reach {
  old: Tokens;
  file: Tokens;
  from: number;
  to: number;
}

/** How many last tokens of the old text must precede the extra ones for the new text to count as its continuation. */
export const MIN_GOING_ON = 3;
const MAX_ADDED = 60;

/** Adds whole lines only when the old text may lack them: its layout differs from the file's. */
export function reachEnds(reach: Reach, next: Tokens, mayAddLines: boolean): Reach {
  const withEnd = addBehind(reach, next, countBehind(reach, next, mayAddLines));
  return addBefore(withEnd, next, countBefore(withEnd, next, mayAddLines));
}

/** How many tokens after the place, up to the end of a line, the new text contains and the old one lacks. */
function countBehind(reach: Reach, next: Tokens, mayAddLines: boolean): number {
  const { old, file, to } = reach;
  const isAmidLine = !beginsLine(file, to);
  const goesOn = old.keys.slice(-MIN_GOING_ON);
  for (let count = 1; count <= MAX_ADDED && to + count <= file.keys.length; count++) {
    if (!beginsLine(file, to + count)) continue;
    const added = file.keys.slice(to, to + count);
    if (endsWith(next.keys, goesOn)) return 0;
    if (isAmidLine && hasBehind(next.keys, goesOn, added)) return count;
    if (!mayAddLines) return 0;
    if (!endsWith(next.keys, added) || !isMore(reach, next, added)) continue;
    const isBeyond = isIndentedAs(reach, old.keys.length - 1, to - 1, to + count - 1);
    if (endsWith(next.keys, [...goesOn, ...added]) || (isBeyond && evensBrackets(reach, next, added))) return count;
  }
  return 0;
}

/** Whether the new text continues with `added` where the old one ends, or ends with it when the old one does not. */
function hasBehind(next: readonly string[], end: readonly string[], added: readonly string[]): boolean {
  return countOf(next, [...end, ...added]) > 0 || (endsWith(next, added) && !endsWith(end, added));
}

function countBefore(reach: Reach, next: Tokens, mayAddLines: boolean): number {
  const { old, file, from } = reach;
  const isAmidLine = !beginsLine(file, from);
  const goesOn = old.keys.slice(0, MIN_GOING_ON);
  for (let count = 1; count <= MAX_ADDED && from - count >= 0; count++) {
    if (!beginsLine(file, from - count)) continue;
    const added = file.keys.slice(from - count, from);
    if (isAmidLine && startsWith(next.keys, added) && !startsWith(old.keys, added)) return count;
    if (!mayAddLines || startsWith(next.keys, goesOn)) return 0;
    if (!startsWith(next.keys, added) || !isMore(reach, next, added)) continue;
    const isBeyond = isIndentedAs(reach, 0, from, from - count);
    if (startsWith(next.keys, [...added, ...goesOn]) || (isBeyond && evensBrackets(reach, next, added))) return count;
  }
  return 0;
}

/** Whether the new text contains `added` more often than the place; otherwise it belongs to the place. */
function isMore({ file, from, to }: Reach, next: Tokens, added: readonly string[]): boolean {
  return countOf(next.keys, added) > countOf(file.keys.slice(from, to), added);
}

/** Whether the line of a token contains only brackets. */
function isBracketLine({ text, starts }: Tokens, index: number): boolean {
  const [lineStart, lineEnd] = [text.lastIndexOf('\n', starts[index]! - 1) + 1, text.indexOf('\n', starts[index])];
  return /^[\s()[\]{},;]*$/.test(text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd));
}

/** Whether a brackets-only line of the old text is indented like another line of the file instead of its own. */
function isIndentedAs({ old, file }: Reach, index: number, own: number, other: number): boolean {
  if (!isBracketLine(old, index)) return false;
  const wanted = indentationOf(old, index);
  return wanted !== indentationOf(file, own) && wanted === indentationOf(file, other);
}

function indentationOf({ text, starts }: Tokens, index: number): string {
  const lineStart = text.lastIndexOf('\n', starts[index]! - 1) + 1;
  return /^\s*/.exec(text.slice(lineStart, starts[index]))![0];
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

/** Whether the brackets balance only without the added tokens. */
function leavesBrackets({ file, from, to }: Reach, next: Tokens, added: readonly string[]): boolean {
  const wanted = depthOf(next.keys);
  const without = depthOf(file.keys.slice(from, to));
  return wanted === without && wanted !== without + depthOf(added);
}

/** Whether the brackets balance only with the added tokens. */
function evensBrackets({ file, from, to }: Reach, next: Tokens, added: readonly string[]): boolean {
  const wanted = depthOf(next.keys);
  const without = depthOf(file.keys.slice(from, to));
  return wanted !== without && wanted === without + depthOf(added);
}

export function depthOf(keys: readonly string[]): number {
  let depth = 0;
  for (const key of keys) {
    if ('([{'.includes(key)) depth++;
    else if (')]}'.includes(key)) depth--;
  }
  return depth;
}
