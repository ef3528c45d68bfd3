/**
 * What to send so that the terminal shows finished lines once, in its own scrollback,
 * and below them a small frame that changes. It owns the picture of the frame on the
 * screen and nothing else: never a row above the frame, never the whole screen, and no
 * place but relative to the cursor. After a resize it erases what the terminal made of
 * the old frame.
 */

import { compactRow } from './compact-row.ts';
import { changedPart, rowsKept } from './row-change.ts';
import { cutRow, rowHeight } from './row-width.ts';
import { StrandedRows } from './stranded-rows.ts';

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
  /** How many of the rows at the top are the beginning of what becomes final. */
  readonly growing?: number;
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
  private growing = 0;
  /** The row of the screen the frame begins in is this one or a lower one. */
  private top = 0;
  private row = 0;
  private column: number | undefined = 0;
  private isCursorShown = true;
  private out = '';
  /** What a resize takes away, until the next frame. */
  private erased = '';
  private isDisturbed = false;
  private readonly stranded: StrandedRows;

  constructor({ reflow = 'text' }: PainterOptions = {}) {
    this.reflow = reflow;
    this.stranded = new StrandedRows({
      heightOf: (row, columns) => this.heightOf(row, columns),
      keepsParts: reflow === 'rows',
    });
  }

  /** Writes `lines` above the frame, for good, and makes the frame this one. Lines may be wider than the terminal. */
  paint(lines: readonly string[], frame: Frame, size: Size): string {
    this.resize(size);
    this.out = this.erased;
    this.erased = '';
    const rows = fit(frame, size);
    this.advance(lines, rows);
    this.draw(rows);
    this.top = Math.max(Math.min(this.top, size.rows - rows.length), 0);
    // Rows that were left out are none of the scrollback's.
    this.growing = rows.length === frame.rows.length ? (frame.growing ?? 0) : 0;
    this.placeCursor(caretIn(frame, rows, size));
    return this.out === '' ? '' : `${BEGIN}${this.out}${END}`;
  }

  /** The window changes: what is on the screen may be another picture by now, even if it comes back to its size. */
  disturb(): void {
    this.isDisturbed = true;
  }

  /**
   * The terminal has another size, and has made something else of the frame: that is taken away with the next one.
   * Where its beginning may be out of reach by now, the growing rows stay, for good; answers how many. `cursorRow` is
   * the row of the screen the cursor stands in, where the terminal has told it: then nothing has to be assumed.
   */
  resize(size: Size, cursorRow?: number): number {
    const before = this.size ?? size;
    const isSame = before.columns === size.columns && before.rows === size.rows;
    if (isSame && !this.isDisturbed) {
      this.size = size;
      return 0;
    }
    this.isDisturbed = false;
    const reach = size.rows - 1;
    const cursor = cursorRow ?? Math.min(this.top + this.row, reach);
    const whole = this.heightAboveCursor(size);
    const left = whole > cursor ? Math.min(this.growing, this.row) : 0;
    const frame = this.shown.slice(left);
    const height = this.shown.slice(0, left).reduce((rest, row) => rest - this.heightOf(row, size.columns), whole);
    if (left > 0 || cursorRow === undefined) this.stranded.forget();
    const returned = cursorRow === undefined ? 0 : this.findStranded(frame, cursor - height, size);
    this.out = '';
    this.up(Math.min(height + returned, reach));
    // Deleted, not erased: tmux keeps what is erased from the first cell on in its history.
    this.erased += `${this.out}\r\x1b[${size.rows}M`;
    this.size = size;
    this.reset();
    this.top = Math.max(cursor - height - returned, 0);
    return left;
  }

  /** With `room` rows of the screen above the frame, how many of those left behind are among them. */
  private findStranded(frame: readonly string[], room: number, { columns }: Size): number {
    if (room >= 0) return this.stranded.take(room, columns);
    this.stranded.add(frame, -room, columns);
    return 0;
  }

  /** Takes the frame away; the cursor stands where it began. What follows may be written as usual. */
  leave(): string {
    this.out = this.erased;
    this.erased = '';
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
    this.stranded.forget();
    this.reset();
  }

  private reset(): void {
    this.shown = [];
    this.growing = 0;
    this.top = 0;
    this.row = 0;
    this.column = 0;
  }

  /** Rows between the beginning of the frame and the cursor, as the resized terminal shows them. */
  private heightAboveCursor({ columns, rows }: Size): number {
    const before = this.size ?? { columns, rows };
    if (this.reflow === 'none' || columns >= before.columns) return this.row;
    const heights = this.shown.map((row) => this.heightOf(row, columns));
    if (this.reflow === 'text') return heights.slice(0, this.row).reduce((sum, height) => sum + height, 0);
    // A terminal that loses rows drops the lowest first.
    const left = Math.max(this.row + 1, heights.length - Math.max(0, before.rows - rows));
    return cursorAfterReflow(heights.slice(0, left), this.row);
  }

  /** Of a row of the frame, in a terminal that has become so wide. */
  private heightOf(row: string, columns: number): number {
    return this.reflow === 'none' ? 1 : rowHeight(row, columns);
  }

  /**
   * Makes the upper part of the frame into the new lines and as many rows as the next frame has there; what stands
   * below it moves as it is. A row that was shown while it was not final, and now is, is not written again.
   */
  private advance(all: readonly string[], rows: readonly string[]): void {
    const { columns, rows: most } = this.size!;
    const lines = all.map(compactRow);
    if (lines.length > 0) this.stranded.forget();
    const heights = lines.map((line) => rowHeight(line, columns));
    const height = heights.reduce((sum, each) => sum + each, 0);
    const top = this.top + height;
    const hasRoom = height + Math.max(this.shown.length, rows.length) <= most;
    if (this.shown.length === 0 || rows.length === 0 || !hasRoom) {
      if (lines.length > 0) this.writeBelow(lines);
      this.top = top;
      return;
    }
    const kept = rowsKept(this.shown, rows);
    const head = this.shown.length - kept;
    this.shift(head, height + rows.length - kept - head);
    let row = 0;
    for (const [index, line] of lines.entries()) {
      this.writeLine(line, row, heights[index] ?? 1);
      row += heights[index] ?? 1;
    }
    this.shown = this.shown.slice(height);
    this.row -= height;
    this.top = top;
  }

  /** The frame is given up: it is drawn anew under the lines. */
  private writeBelow(lines: readonly string[]): void {
    this.moveTo(0);
    const text = lines.map((line) => `${line}\r\n`).join('');
    this.out += `\r${this.shown.length > 0 ? ERASE_BELOW : ''}${text}`;
    this.forget();
  }

  /** Rows that come or go before one of the frame; those from it on move. */
  private shift(at: number, count: number): void {
    if (count === 0) return;
    const blanks = Array.from({ length: count }, () => '');
    if (count > 0) {
      this.moveTo(this.shown.length - 1);
      this.out += '\n'.repeat(count);
      this.row += count;
      this.moveTo(at);
      this.out += `\r\x1b[${count}L`;
    } else {
      this.moveTo(at + count);
      this.out += `\r\x1b[${-count}M`;
    }
    this.column = 0;
    this.shown = [...this.shown.slice(0, at + Math.min(count, 0)), ...blanks, ...this.shown.slice(at)];
  }

  /** For good. One that is wider than the terminal is broken by it, so what stood in its way goes first. */
  private writeLine(line: string, row: number, height: number): void {
    if (height === 1) return this.drawRow(row, line);
    for (let index = row + height - 1; index >= row; index--) {
      if (this.shown[index] === '') continue;
      this.moveTo(index);
      this.toColumn(0);
      this.out += ERASE_RIGHT;
    }
    this.moveTo(row);
    this.toColumn(0);
    this.out += line;
    this.row = row + height - 1;
    this.column = undefined;
  }

  private draw(rows: readonly string[]): void {
    for (const [index, row] of rows.entries()) {
      this.drawRow(index, row);
      if (index >= this.shown.length) this.shown = [...this.shown, row];
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

  private drawRow(index: number, row: string): void {
    const before = this.shown[index];
    if (before === row) return;
    this.moveTo(index);
    const change = before === undefined ? { column: 0, text: row, isShorter: false } : changedPart(before, row);
    this.toColumn(change.column);
    this.out += change.text + (change.isShorter ? ERASE_RIGHT : '');
    this.column = undefined;
  }

  private placeCursor(caret: Caret | undefined): void {
    const isShown = caret !== undefined;
    const target = caret ?? { row: this.parkingRow(), column: 0 };
    this.moveTo(target.row);
    if (this.column !== target.column) this.toColumn(target.column);
    if (isShown !== this.isCursorShown) this.out += isShown ? SHOW_CURSOR : HIDE_CURSOR;
    this.isCursorShown = isShown;
  }

  /**
   * A hidden cursor stands as high as it may: a terminal that loses rows first drops those below the cursor, and
   * pushes those above it into the scrollback. Where rows that break below the cursor move it, it stands lowest.
   */
  private parkingRow(): number {
    return this.reflow === 'rows' ? Math.max(this.shown.length - 1, 0) : 0;
  }

  /** Rows that are not there yet come into being by a line feed, which scrolls at the bottom. */
  private moveTo(row: number): void {
    if (row < this.row) this.up(this.row - row);
    const last = Math.max(this.shown.length - 1, 0);
    const down = Math.min(row, last) - this.row;
    // The next row is there, so nothing scrolls; mostly it is written from its beginning.
    if (down === 1) {
      this.out += '\r\n';
      this.column = 0;
    } else if (down > 1) this.out += `\x1b[${down}B`;
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
  return rows.slice(-most).map((row) => compactRow(cutRow(row, Math.max(size.columns - 1, 1)).trimEnd()));
}

function caretIn({ caret, rows: all }: Frame, rows: readonly string[], size: Size): Caret | undefined {
  if (!caret) return undefined;
  const row = caret.row - (all.length - rows.length);
  if (row < 0 || row >= rows.length) return undefined;
  return { row, column: Math.min(caret.column, size.columns - 1) };
}

/**
 * xterm.js breaks rows from the lowest up, moves the cursor down for each it adds, and passes over the row the
 * cursor has come to by then.
 */
function cursorAfterReflow(heights: readonly number[], cursor: number): number {
  let row = cursor;
  for (let index = heights.length - 1; index >= 0; index--) {
    if (index !== row) row += (heights[index] ?? 1) - 1;
  }
  return row;
}
