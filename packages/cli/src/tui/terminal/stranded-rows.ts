/**
 * Rows of old frames that a lower window has pushed into the scrollback, directly above
 * the frame that is shown. Out of reach they stay; where the window gets higher again and
 * the terminal brings them back, they can be taken away. It counts rows and writes nothing.
 * It rather forgets a row than claims one that is not its own.
 */

import { graphemesIn, rowHeight, stripStyles } from './row-width.ts';

export interface StrandedRowsOptions {
  readonly heightOf: (row: string, columns: number) => number;
  /**
   * Whether the beginning of a broken row stays a row of its own when the rest is taken away. Some terminals join it
   * with what is then written under it, and nobody can tell where that ends.
   */
  readonly keepsParts: boolean;
}

export class StrandedRows {
  /** From the top down. */
  private rows: readonly string[] = [];
  private readonly options: StrandedRowsOptions;

  constructor(options: StrandedRowsOptions) {
    this.options = options;
  }

  /** Something that stays was written under them: they stay, too. */
  forget(): void {
    this.rows = [];
  }

  /** The first `height` rows of the screen that these rows take are out of reach. */
  add(rows: readonly string[], height: number, columns: number): void {
    let left = height;
    for (const row of rows) {
      if (left <= 0) return;
      const needed = this.options.heightOf(row, columns);
      if (needed <= left) this.rows = [...this.rows, row];
      else this.addPart(row, left, columns);
      left -= needed;
    }
  }

  /** How many of them stand in so many rows above the frame; they are taken away. */
  take(room: number, columns: number): number {
    let left = room;
    while (left > 0 && this.rows.length > 0) {
      const last = this.rows.at(-1) ?? '';
      const height = this.options.heightOf(last, columns);
      this.rows = this.rows.slice(0, -1);
      if (height > left) this.addPart(last, height - left, columns);
      left = Math.max(left - height, 0);
    }
    return room - left;
  }

  private addPart(row: string, height: number, columns: number): void {
    this.rows = this.options.keepsParts ? [...this.rows, beginning(row, height, columns)] : [];
  }
}

/** As much of the row as stands in its first `height` rows of the screen. */
function beginning(row: string, height: number, columns: number): string {
  let text = '';
  for (const segment of graphemesIn(stripStyles(row))) {
    if (rowHeight(text + segment, columns) > height) break;
    text += segment;
  }
  return text;
}
