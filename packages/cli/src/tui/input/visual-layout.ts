/**
 * Wraps the lines of the editor into rows of a given width, and maps between a place in the text and a cell. A new
 * layout reuses the rows of every unchanged line, so that typing costs one line.
 */

import { DEFAULT_WIDTHS, displayGrapheme, graphemeWidth, nextBoundary } from '../text/graphemes.ts';
import type { WidthProfile } from '../text/graphemes.ts';
import { lineAt } from './lines.ts';

export interface LayoutOptions {
  /** Cells available to a row; the caret may stand one further. */
  readonly columns: number;
  readonly widths?: WidthProfile;
  /** The label shown for a pasted block, by the character that represents it. */
  readonly labels?: ReadonlyMap<string, string>;
}

export interface VisualLayout {
  readonly options: LayoutOptions;
  readonly lines: readonly string[];
  /** For each line, the offsets at which its rows begin. */
  readonly starts: readonly (readonly number[])[];
  /** For each line, the number of rows above it; one more entry than lines. */
  readonly rowsAbove: readonly number[];
}

export interface Position {
  readonly row: number;
  readonly column: number;
}

export interface VisualPosition {
  readonly row: number;
  readonly cell: number;
}

const ONE_ROW: readonly number[] = [0];
const PLAIN = /^[\x20-\x7e]*$/;
/** Longer than any grapheme. */
const SAFE_DISTANCE = 256;

export function layoutLines(lines: readonly string[], options: LayoutOptions, previous?: VisualLayout): VisualLayout {
  const reusable = previous !== undefined && isSameShape(previous.options, options) ? previous : undefined;
  const shift = lines.length - (reusable?.lines.length ?? 0);
  const starts = lines.map((line, index) => {
    if (reusable?.lines[index] === line) return reusable.starts[index]!;
    if (reusable?.lines[index - shift] === line) return reusable.starts[index - shift]!;
    return wrapLine(line, options, reusable && knownStarts(line, reusable, index));
  });
  const rowsAbove = [0];
  for (let index = 0; index < starts.length; index++) rowsAbove.push(rowsAbove[index]! + starts[index]!.length);
  return { options, lines, starts, rowsAbove };
}

export function countRows(layout: VisualLayout): number {
  return layout.rowsAbove.at(-1)!;
}

export function toVisual(layout: VisualLayout, { row, column }: Position): VisualPosition {
  const starts = layout.starts[row]!;
  let index = starts.length - 1;
  while (index > 0 && starts[index]! > column) index--;
  const cell = textWidth(lineAt(layout.lines, row).slice(starts[index], column), layout.options);
  return { row: layout.rowsAbove[row]! + index, cell };
}

/** The place at or just before a cell; a row outside is the nearest one. */
export function fromVisual(layout: VisualLayout, { row, cell }: VisualPosition): Position {
  const wanted = Math.max(0, Math.min(row, countRows(layout) - 1));
  const line = findLine(layout.rowsAbove, wanted);
  const { start, end, isLast } = rowRange(layout, line, wanted - layout.rowsAbove[line]!);
  const text = lineAt(layout.lines, line);
  let column = start;
  let cells = 0;
  while (column < end) {
    const next = nextBoundary(text, column);
    cells += displayWidth(text.slice(column, next), layout.options);
    // The end of a wrapped row is the beginning of the next one.
    if (cells > cell || (next === end && !isLast)) break;
    column = next;
  }
  return { row: line, column };
}

/** One row as it is printed: no character of it can control the terminal. */
export function rowText(layout: VisualLayout, row: number): string {
  const line = findLine(layout.rowsAbove, row);
  const { start, end } = rowRange(layout, line, row - layout.rowsAbove[line]!);
  const text = lineAt(layout.lines, line).slice(start, end);
  if (PLAIN.test(text)) return text;
  let shown = '';
  for (let column = 0; column < text.length;) {
    const next = nextBoundary(text, column);
    const grapheme = text.slice(column, next);
    shown += layout.options.labels?.get(grapheme)?.slice(0, layout.options.columns) ?? displayGrapheme(grapheme);
    column = next;
  }
  return shown;
}

/** The rows of a long line before the place where it changed. */
function knownStarts(line: string, { lines, starts }: VisualLayout, index: number): readonly number[] {
  const before = lines[index];
  const known = starts[index];
  if (before === undefined || known === undefined || known.length < 3) return ONE_ROW;
  let same = 0;
  while (same < line.length && line.charCodeAt(same) === before.charCodeAt(same)) same++;
  // The start of a row depends on its own text and the beginning of the next.
  const count = known.findIndex((_, row) => (known[row + 1] ?? Infinity) + SAFE_DISTANCE > same);
  return count <= 0 ? ONE_ROW : known.slice(0, count);
}

/** The offsets at which rows begin: after the last blank that fits, or where the row is full. */
function wrapLine(line: string, options: LayoutOptions, known: readonly number[] = ONE_ROW): readonly number[] {
  if (line.length <= options.columns && PLAIN.test(line)) return ONE_ROW;
  const starts = [...known];
  let cells = 0;
  let afterBlank = 0;
  let cellsToBlank = 0;
  for (let offset = starts.at(-1)!; offset < line.length;) {
    const next = nextBoundary(line, offset);
    const isPlain = next === offset + 1 && isPrintable(line.charCodeAt(offset));
    const width = isPlain ? 1 : displayWidth(line.slice(offset, next), options);
    // Twice at most: a wide label may not fit after the word that was kept.
    while (cells + width > options.columns && offset > starts.at(-1)!) {
      const isWordKept = afterBlank > starts.at(-1)!;
      starts.push(isWordKept ? afterBlank : offset);
      cells = isWordKept ? cells - cellsToBlank : 0;
    }
    cells += width;
    if (line[offset] === ' ') {
      afterBlank = next;
      cellsToBlank = cells;
    }
    offset = next;
  }
  return starts;
}

function isPrintable(code: number): boolean {
  return code >= 0x20 && code <= 0x7e;
}

function rowRange(layout: VisualLayout, line: number, index: number): { start: number; end: number; isLast: boolean } {
  const starts = layout.starts[line]!;
  const isLast = index === starts.length - 1;
  return { start: starts[index]!, end: isLast ? lineAt(layout.lines, line).length : starts[index + 1]!, isLast };
}

function textWidth(text: string, options: LayoutOptions): number {
  if (PLAIN.test(text)) return text.length;
  let cells = 0;
  for (let column = 0; column < text.length;) {
    const next = nextBoundary(text, column);
    cells += displayWidth(text.slice(column, next), options);
    column = next;
  }
  return cells;
}

function displayWidth(grapheme: string, { columns, labels, widths = DEFAULT_WIDTHS }: LayoutOptions): number {
  const label = labels?.get(grapheme);
  if (label !== undefined) return Math.min(label.length, columns);
  return graphemeWidth(grapheme, widths);
}

/** The last line that begins at or above a row. */
function findLine(rowsAbove: readonly number[], row: number): number {
  let low = 0;
  let high = rowsAbove.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowsAbove[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isSameShape(one: LayoutOptions, other: LayoutOptions): boolean {
  return one.columns === other.columns && one.widths === other.widths && one.labels === other.labels;
}
