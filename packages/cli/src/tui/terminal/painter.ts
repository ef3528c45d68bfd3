/**
 * What to send so that the terminal shows finished lines once, in its own scrollback,
 * and below them a small frame that changes. It owns the picture of the frame on the
 * screen and nothing else: never a row above the frame, never the whole screen, and no
 * place but relative to the cursor. After a resize it erases what the terminal made of
 * the old frame.
 */

import { RESET, cutRow, rowHeight } from './row-width.ts';
import { changedPart } from './row-change.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Caret {
  readonly row: number;
  readonly column: number;
}

export interface Frame {
  /** Without line ends; wider ones are cut. */
  readonly rows: readonly string[];
  /** Where the real cursor stands; without it the cursor is hidden. */
  readonly caret?: Caret | undefined;
}

/**
 * What a terminal does with rows that no longer fit when it gets narrower: it cuts them
 * (`none`), breaks them and keeps the cursor at its text (`text`, almost all do), or
 * breaks them and moves the cursor also for rows below it (`rows`, xterm.js).
 */
export type Reflow = 'none' | 'text' | 'rows';

export interface PainterOptions {
  readonly reflow?: Reflow;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const ERASE_RIGHT = '\x1b[K';
const ERASE_BELOW = '\x1b[J';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

export class Painter {
  private readonly reflow: Reflow;
  private size: Size | undefined;
  /** What is on the screen; the first is where the frame begins. */
  private shown: readonly string[] = [];
  private row = 0;
  private column: number | undefined = 0;
  private isCursorShown = true;
  private out = '';

  constructor({ reflow = 'text' }: PainterOptions = {}) {
    this.reflow = reflow;
  }

  /** Writes `lines` above the frame, for good, and makes the frame this one. Lines may be wider than the terminal. */
  paint(lines: readonly string[], frame: Frame, size: Size): string {
    this.out = '';
    const rows = fit(frame, size);
    if (this.size && (this.size.columns !== size.columns || this.size.rows !== size.rows)) this.eraseAfterResize(size);
    this.size = size;
    if (lines.length > 0) this.insert(lines, rows.length);
    this.draw(rows);
    this.placeCursor(caretIn(frame, rows, size));
    return this.out === '' ? '' : `${BEGIN}${this.out}${END}`;
  }

  /** Takes the frame away; the cursor stands where it began. What follows may be written as usual. */
  leave(): string {
    this.out = '';
    if (this.shown.length > 0) {
      this.moveTo(0);
      this.out += `\r${ERASE_BELOW}`;
    }
    if (!this.isCursorShown) this.out += SHOW_CURSOR;
    this.isCursorShown = true;
    this.forget();
    return this.out;
  }

  /** Somebody else wrote to the terminal: the next frame begins where the cursor is. */
  forget(): void {
    this.shown = [];
    this.row = 0;
    this.column = 0;
  }

  private eraseAfterResize(size: Size): void {
    this.up(Math.min(this.heightAboveCursor(size), size.rows - 1));
    this.out += `\r${ERASE_BELOW}`;
    this.forget();
  }

  /** Rows between the beginning of the frame and the cursor, as the resized terminal shows them. */
  private heightAboveCursor({ columns, rows }: Size): number {
    const before = this.size ?? { columns, rows };
    if (this.reflow === 'none' || columns >= before.columns) return this.row;
    const above = this.shown.slice(0, this.row).reduce((sum, row) => sum + rowHeight(row, columns), 0);
    if (this.reflow === 'text') return above;
    // A terminal that loses rows drops the lowest first.
    const below = this.shown
      .slice(this.row + 1)
      .slice(0, Math.max(0, this.shown.length - this.row - 1 - Math.max(0, before.rows - rows)));
    return above + below.reduce((sum, row) => sum + rowHeight(row, columns) - 1, 0);
  }

  /** New lines above the frame. The frame moves down as a whole where there is room, which costs next to nothing. */
  private insert(lines: readonly string[], nextHeight: number): void {
    const { columns, rows } = this.size!;
    const height = lines.reduce((sum, line) => sum + rowHeight(line, columns), 0);
    const frameHeight = Math.max(this.shown.length, nextHeight);
    const text = lines.map((line) => `${close(line)}\r\n`).join('');
    if (this.shown.length === 0 || height + frameHeight > rows) {
      this.moveTo(0);
      this.out += `\r${this.shown.length > 0 ? ERASE_BELOW : ''}${text}`;
      this.forget();
      return;
    }
    this.moveTo(this.shown.length - 1);
    this.out += '\n'.repeat(height);
    this.up(height + this.shown.length - 1);
    this.out += `\r\x1b[${height}L${text}`;
    this.row = 0;
    this.column = 0;
  }

  private draw(rows: readonly string[]): void {
    for (const [index, row] of rows.entries()) {
      const before = this.shown[index];
      if (before === row) continue;
      this.moveTo(index);
      const change = before === undefined ? { column: 0, text: row, isShorter: false } : changedPart(before, row);
      this.toColumn(change.column);
      this.out += close(change.text) + (change.isShorter ? ERASE_RIGHT : '');
      this.column = undefined;
      if (before === undefined) this.shown = [...this.shown, row];
    }
    if (rows.length < this.shown.length) {
      // The row below the last one exists: it is the one to go.
      this.moveTo(rows.length);
      this.out += `\r${ERASE_BELOW}`;
      this.column = 0;
      // Not a row of the frame any more; the cursor is placed right after.
    }
    this.shown = rows;
  }

  private placeCursor(caret: Caret | undefined): void {
    const isShown = caret !== undefined;
    const target = caret ?? { row: Math.max(this.shown.length - 1, 0), column: 0 };
    this.moveTo(target.row);
    if (this.column !== target.column) this.toColumn(target.column);
    if (isShown !== this.isCursorShown) this.out += isShown ? SHOW_CURSOR : HIDE_CURSOR;
    this.isCursorShown = isShown;
  }

  /** Rows that are not there yet come into being by a line feed, which scrolls at the bottom. */
  private moveTo(row: number): void {
    if (row < this.row) this.up(this.row - row);
    const last = Math.max(this.shown.length - 1, 0);
    const down = Math.min(row, last) - this.row;
    if (down > 0) this.out += `\x1b[${down}B`;
    const fresh = row - Math.max(last, this.row);
    if (fresh > 0) {
      this.out += '\r\n'.repeat(fresh);
      this.column = 0;
    }
    this.row = row;
  }

  private up(count: number): void {
    if (count > 0) this.out += `\x1b[${count}A`;
  }

  private toColumn(column: number): void {
    if (this.column === column) return;
    this.out += column === 0 ? '\r' : `\x1b[${column + 1}G`;
    this.column = column;
  }
}

/** Rows no terminal breaks, and so few that none of them scrolls away: the lowest ones count most. */
function fit({ rows }: Frame, size: Size): string[] {
  const most = Math.max(size.rows - 1, 1);
  return rows.slice(-most).map((row) => cutRow(row.trimEnd(), Math.max(size.columns - 1, 1)));
}

function caretIn({ caret, rows: all }: Frame, rows: readonly string[], size: Size): Caret | undefined {
  if (!caret) return undefined;
  const row = caret.row - (all.length - rows.length);
  if (row < 0 || row >= rows.length) return undefined;
  return { row, column: Math.min(caret.column, size.columns - 1) };
}

function close(row: string): string {
  return row.includes('\x1b') && !row.endsWith(RESET) ? row + RESET : row;
}
