/**
 * Paints the alternate screen: finished lines above, the frame below, and scrolling of our own. It keeps the newest
 * lines of the conversation; the terminal keeps none of them. Only changed rows are written.
 */

import type { Frame, Painter, Size } from './painter.ts';
import { FILL, RESET, cutRow, rowWidth, stripStyles } from '../text/row-width.ts';

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const ERASE_RIGHT = '\x1b[K';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';
const MOST_LINES = 20_000;

export class AlternatePainter implements Painter {
  readonly isWhole = true;
  readonly needsSettledWindow = false;
  private lines: string[] = [];
  private shown: readonly string[] = [];
  private size: Size | undefined;
  /** Rows the view is scrolled up by; 0 follows the end. */
  private offset = 0;

  paint(lines: readonly string[], frame: Frame, size: Size): string {
    this.add(lines, size);
    if (this.size?.columns !== size.columns || this.size?.rows !== size.rows) this.shown = [];
    this.size = size;
    const height = Math.max(size.rows - frame.rows.length, 0);
    const hidden = Math.max(frame.rows.length - size.rows, 0);
    const below = frame.rows
      .slice(hidden)
      .map((row, index) => reachCaret(cutRow(row, size.columns - 1), index + hidden, frame, size));
    const rows = [...this.view(height, size.columns - 1), ...below];
    const changes = rows.flatMap((row, index) =>
      row === this.shown[index] ? [] : [`\x1b[${index + 1};1H${ended(row)}`],
    );
    this.shown = rows;
    return `${BEGIN}${changes.join('')}${cursorAt(frame, height, size)}${END}`;
  }

  /** Up when negative; a page when it is as many rows as the screen has. */
  scroll(by: number): boolean {
    this.offset = Math.max(0, this.offset - by);
    return true;
  }

  /** Each frame is drawn for the size it is given. */
  disturb(): void {}

  resize(): void {}

  learn(): void {}

  leave(): string {
    this.forget();
    return SHOW_CURSOR;
  }

  forget(): void {
    this.shown = [];
  }

  private add(lines: readonly string[], size: Size): void {
    if (lines.length === 0) return;
    // New lines do not move the view of a user who has scrolled up.
    if (this.offset > 0) this.offset += lines.reduce((sum, line) => sum + piecesOf(line, size.columns - 1).length, 0);
    this.lines.push(...lines);
    if (this.lines.length > MOST_LINES * 1.2) this.lines = this.lines.slice(-MOST_LINES);
  }

  /** The visible rows: as many lines from the end as needed. */
  private view(height: number, width: number): string[] {
    const rows: string[] = [];
    let index = this.lines.length;
    while (index > 0 && rows.length < height + this.offset) {
      index--;
      rows.unshift(...piecesOf(this.lines[index] ?? '', width));
    }
    this.offset = Math.min(this.offset, Math.max(rows.length - height, 0));
    const end = rows.length - this.offset;
    const seen = rows.slice(Math.max(end - height, 0), end);
    return [...seen, ...Array.from({ length: height - seen.length }, () => '')];
  }
}

/** Nothing of an earlier row stays behind it; a filled row has erased it already. */
function ended(row: string): string {
  return `${row}${row.includes('\x1b') ? RESET : ''}${row.includes(FILL) ? '' : ERASE_RIGHT}`;
}

/** Typed blanks are written: a program that reads the screen cannot see them otherwise. */
function reachCaret(row: string, index: number, { caret }: Frame, { columns }: Size): string {
  if (caret?.row !== index) return row;
  const missing = Math.min(caret.column, columns - 1) - rowWidth(row);
  return missing > 0 ? row + ' '.repeat(missing) : row;
}

function cursorAt({ caret, rows }: Frame, height: number, size: Size): string {
  if (!caret) return HIDE_CURSOR;
  const row = height + caret.row - Math.max(rows.length - size.rows, 0);
  return `\x1b[${row + 1};${Math.min(caret.column, size.columns - 1) + 1}H${SHOW_CURSOR}`;
}

/** A line that is too long continues in the next row. */
function piecesOf(line: string, width: number): string[] {
  if (rowWidth(line) <= width) return [line];
  const pieces: string[] = [];
  for (let rest = stripStyles(line); rest !== '';) {
    const piece = cutRow(rest, width) || rest.slice(0, 1);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}
