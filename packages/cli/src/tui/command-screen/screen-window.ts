/** Selects the rows of a screen that fit: the end of a log, the top of a drawn screen, and always the cursor. Pure. */

import type { Caret } from '../terminal/painter.ts';
import type { ScreenPicture } from './screen-rows.ts';

export interface ScreenWindow {
  readonly rows: readonly string[];
  readonly cursor: Caret;
  /** Lines of a log that are missing above. */
  readonly hidden: number;
}

export function windowOf({ rows, cursor, isWhole, scrolled }: ScreenPicture, most: number): ScreenWindow {
  // A program that writes line by line has the cursor below all lines, visible or not.
  const isLog = !isWhole && cursor.row === rows.length - 1;
  const first = isLog ? Math.max(rows.length - most, 0) : Math.max(cursor.row - most + 1, 0);
  return {
    rows: rows.slice(first, first + most),
    cursor: { ...cursor, row: cursor.row - first },
    hidden: isLog ? first + scrolled : 0,
  };
}
