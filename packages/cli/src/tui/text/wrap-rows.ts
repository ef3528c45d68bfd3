/**
 * Wraps styled text into rows of a width, between words. Continued rows are indented as requested, so that a list item
 * stays a block, and keep the style of the row before. Pure; the text must already be sanitised.
 */

import { wrapAnsi } from 'fast-wrap-ansi';
import { carryStyles } from './compact-row.ts';
import { isCountedOtherwise, rowWidth } from './row-width.ts';

/** A name, perhaps with the mark of its state, and blanks before its description. Their number is their width. */
const SECOND_COLUMN = /^ +(?:[✓✗▸] )?[\x21-\x7e]+(?: [\x21-\x7e]+)* {2,}(?=\S)/;
const LEAST_COLUMN = 20;
const MOST_PROSE_CELLS = 100;

export interface WrapOptions {
  /** Cells, at least two: the most a character may take. */
  readonly width: number;
  /** Prefix of the first row. */
  readonly first?: string;
  /** Prefix of every other row. */
  readonly rest?: string | undefined;
  /** Whether text in a second column continues in it. */
  readonly hasColumns?: boolean;
}

export function wrapRows(
  text: string,
  { width, first = '', rest = indentUnder(first), hasColumns = false }: WrapOptions,
): string[] {
  const lead = Math.max(rowWidth(first), rowWidth(rest));
  // Beside a prefix there is always room for some letters, even in a window that is too narrow.
  const inner = lead === 0 ? Math.max(width, 2) : Math.max(width - lead, 8);
  const rows = text.split('\n').flatMap((line) => (hasColumns && wrapColumns(line, inner)) || wrapLine(line, inner));
  // A style that spans rows is closed at the end of each and opened in the next: rows are written one by one.
  return carryStyles(rows).map((row, index) => `${index === 0 ? first : rest}${row}`.trimEnd());
}

/** As wide as the beginning of the first row. */
export function indentUnder(first: string): string {
  return first === '' ? '' : ' '.repeat(rowWidth(first));
}

/** Indented text stays indented when it continues. */
function wrapLine(line: string, width: number): string[] {
  if (line.length <= width && rowWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.max(0, width - 20)) ?? '';
  const rows = breakWords(line.slice(indent.length), width - indent.length);
  return indent === '' ? rows : rows.map((row) => indent + row);
}

/** Where this terminal uses more cells for a row than others do, all rows are shortened by that much. */
function breakWords(text: string, width: number): string[] {
  const breakAt = (columns: number) => wrapAnsi(text, columns, { hard: true, trim: true }).split('\n');
  if (!isCountedOtherwise(text)) return breakAt(width);
  if (rowWidth(text) <= width) return [text];
  let rows = breakAt(width);
  for (let inner = width - 1; inner >= 2 && rows.some((row) => rowWidth(row) > width); inner--) rows = breakAt(inner);
  return rows;
}

/** Undefined without a second column. Where there is no room to continue in it, it goes below the first. */
function wrapColumns(line: string, width: number): string[] | undefined {
  const head = line.length > width ? SECOND_COLUMN.exec(line)?.[0] : undefined;
  if (head === undefined) return undefined;
  const rest = line.slice(head.length);
  if (width - head.length >= LEAST_COLUMN) return wrapRows(rest, { width, first: head });
  const indent = /^ */.exec(head)?.[0] ?? '';
  return [...wrapLine(head.trimEnd(), width), ...wrapRows(rest, { width, first: `${indent}  ` })];
}

/** Breaks a full row, between words where it can: every character stays, blanks included. */
export function breakRow(row: string, width: number): readonly string[] {
  if (rowWidth(row) <= width) return [row];
  return carryStyles(wrapAnsi(row, width, { hard: true, trim: false }).split('\n'));
}

/** Cells of a row of prose: long rows are hard to read. */
export function proseWidth(width: number): number {
  return Math.min(width, MOST_PROSE_CELLS);
}

/** Tabs have no width of their own in a row. */
export function expandTabs(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', '    ') : text;
}
