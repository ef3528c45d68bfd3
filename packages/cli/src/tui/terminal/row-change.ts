/**
 * Finds the part of a row to write to turn it into another: from the first difference to the last, or to the end. Pure.
 * It never starts inside a character that may be wider than one cell, and repeats the styles in force at that place.
 */

import { compactRow } from '../text/compact-row.ts';
import { PIECES, RESET, cutRow, hasSureWidth, rowWidth, stripStyles } from '../text/row-width.ts';

export interface RowChange {
  readonly column: number;
  readonly text: string;
  /** A part of the old row would remain to the right. */
  readonly isShorter: boolean;
}

// oxlint-disable-next-line no-control-regex -- SGR sequences are what is looked for
const SGR = /\x1b\[([\d;]*)m/g;

export function changedPart(before: string, after: string): RowChange {
  // Where a terminal may count cells differently, only the beginning of a row is a known position.
  if (!hasSureWidth(before) || !hasSureWidth(after)) return { column: 0, text: after, isShorter: true };
  const start = safeStart(before, after);
  const kept = after.slice(0, start);
  const column = rowWidth(kept);
  const end = sameEnd(before, after, start);
  const text = compactRow(stylesIn(kept) + after.slice(start, end));
  return { column, text, isShorter: end === after.length && rowWidth(after) < rowWidth(before) };
}

/** The start of the unchanged, unmoved end. */
function sameEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < most && before.at(-length - 1) === after.at(-length - 1)) length++;
  // From here on nothing depends on the text before.
  const end = after.indexOf(RESET, after.length - length);
  if (end < 0) return after.length;
  const isInPlace = rowWidth(before.slice(0, end - after.length)) === rowWidth(after.slice(0, end));
  return isInPlace ? end : after.length;
}

/** The text appended to the old row, with its styles; undefined for a different row. */
export function additionTo(before: string, after: string): string | undefined {
  const width = rowWidth(before);
  const kept = cutRow(after, width);
  if (compactRow(kept) !== before) return undefined;
  const cells = stripStyles(kept).length;
  let index = 0;
  for (const [piece] of after.matchAll(PIECES)) {
    const left = cells - stripStyles(after.slice(0, index)).length;
    if (piece.startsWith('\x1b') || piece.length <= left) index += piece.length;
    else return compactRow(stylesIn(after.slice(0, index)) + after.slice(index + left));
  }
  return '';
}

function safeStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  // Whole characters only, and no sequence cut in two: back to between two plain ones.
  while (start > 0 && !(isPlain(after, start - 1) && isPlain(after, start) && isPlain(before, start))) start--;
  const escape = after.lastIndexOf('\x1b', start - 1);
  if (escape >= 0 && !after.slice(escape, start).includes('m')) return escape === 0 ? 0 : safeBefore(after, escape);
  return start;
}

/** Just before a sequence, if the character there is plain. */
function safeBefore(row: string, index: number): number {
  return isPlain(row, index - 1) ? index : 0;
}

/** The end of the row counts as a plain character. */
function isPlain(row: string, index: number): boolean {
  if (index >= row.length) return true;
  const code = row.charCodeAt(index);
  return code >= 0x20 && code < 0x7f;
}

function stylesIn(kept: string): string {
  if (!kept.includes('\x1b')) return '';
  let styles = '';
  for (const [sequence, parameters] of kept.matchAll(SGR)) {
    styles = parameters === '' || parameters === '0' ? '' : styles + sequence;
  }
  return styles;
}
