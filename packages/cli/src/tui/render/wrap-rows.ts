/**
 * Styled text as rows of a width, broken between words. Continued rows are indented as
 * asked, so that a list item stays a block. Pure; the text must be harmless already.
 */

import { wrapAnsi } from 'fast-wrap-ansi';
import { rowWidth } from '../terminal/row-width.ts';

export interface WrapOptions {
  /** Cells, at least two: so many a character may take. */
  readonly width: number;
  /** Before the first row. */
  readonly first?: string;
  /** Before every other row. */
  readonly rest?: string;
}

export function wrapRows(text: string, { width, first = '', rest = indentUnder(first) }: WrapOptions): string[] {
  const lead = Math.max(rowWidth(first), rowWidth(rest));
  // Beside a lead there is always room for some letters, also where the window has none.
  const inner = lead === 0 ? Math.max(width, 2) : Math.max(width - lead, 8);
  const rows = text.split('\n').flatMap((line) => wrapLine(line, inner));
  return rows.map((row, index) => `${index === 0 ? first : rest}${row}`.trimEnd());
}

/** As wide as the beginning of the first row. */
export function indentUnder(first: string): string {
  return first === '' ? '' : ' '.repeat(rowWidth(first));
}

/** What is indented stays indented when it goes on. */
function wrapLine(line: string, width: number): string[] {
  if (line.length <= width && rowWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.max(0, width - 20)) ?? '';
  const rows = wrapAnsi(line.slice(indent.length), width - indent.length, { hard: true, trim: true }).split('\n');
  return indent === '' ? rows : rows.map((row) => indent + row);
}

/** Tabs have no width of their own in a row. */
export function expandTabs(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', '    ') : text;
}
