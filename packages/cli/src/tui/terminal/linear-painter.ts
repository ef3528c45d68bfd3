/**
 * Paints for screen readers: lines one after the other, and under them the one line being typed. The cursor never moves
 * up, and only the input line is ever rewritten.
 */

import type { Frame, Painter, Size } from './painter.ts';
import { cutRow, graphemesIn, rowWidth } from '../text/row-width.ts';

const ERASE_INPUT = '\r\x1b[K';

export class LinearPainter implements Painter {
  readonly isWhole = false;
  readonly needsSettledWindow = false;
  private row = '';
  private column = 0;

  /** Only the first row of the frame is shown: the input. */
  paint(lines: readonly string[], { rows, caret }: Frame, size: Size): string {
    let out = '';
    if (lines.length > 0) {
      out += `${this.row === '' ? '' : ERASE_INPUT}${lines.map((line) => `${line}\r\n`).join('')}`;
      this.row = '';
      this.column = 0;
    }
    const row = endOf(rows[0] ?? '', size.columns - 1);
    if (row !== this.row) {
      const isAppended = this.row !== '' && row.startsWith(this.row) && this.column === rowWidth(this.row);
      out += isAppended ? row.slice(this.row.length) : `${this.row === '' ? '' : ERASE_INPUT}${row}`;
      this.row = row;
      this.column = rowWidth(row);
    }
    const column = Math.min(caret?.column ?? this.column, rowWidth(row), size.columns - 1);
    if (column !== this.column) out += `\x1b[${column + 1}G`;
    this.column = column;
    return out;
  }

  /** Each frame is drawn for the size it is given. */
  disturb(): void {}

  resize(): void {}

  learn(): void {}

  scroll(): boolean {
    return false;
  }

  leave(): string {
    const out = this.row === '' ? '' : '\r\n';
    this.forget();
    return out;
  }

  forget(): void {
    this.row = '';
    this.column = 0;
  }
}

/** The end of a line that is too long, where the user types. */
function endOf(row: string, width: number): string {
  if (rowWidth(row) <= width) return row;
  const graphemes = [...graphemesIn(row)];
  while (graphemes.length > 0 && rowWidth(graphemes.join('')) > width) graphemes.shift();
  return cutRow(graphemes.join(''), width);
}
