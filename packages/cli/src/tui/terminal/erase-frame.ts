/** Erases a frame, as it was drawn or as a resized terminal shows it; its final part may stay. Pure. */

import { compactRow } from '../text/compact-row.ts';
import type { FittedFrame } from './fit-frame.ts';
import { ERASE_BELOW, ERASE_RIGHT, climb, toColumn, up } from './moves.ts';
import type { Reflow, Size } from './painter.ts';
import { additionTo } from './row-change.ts';
import { cutRow, graphemesIn, hasSureWidth, rowHeight, rowWidth, stripStyles } from '../text/row-width.ts';

/** Deletes all rows below. */
const DELETE_ALL = '\x1b[999M';

export interface Resize {
  /** The size the frame was drawn for; each of its rows is narrower. */
  readonly before: Size;
  readonly after: Size;
  readonly reflow: Reflow;
  /** The terminal is unknown: better leave a row of the frame in its scrollback than lose a line. */
  readonly isLeast: boolean;
}

/** Moves from the cursor's row to the beginning of another one above it. */
export function rise(rows: readonly string[], from: number, to: number, reflow: Reflow): string {
  return reflow === 'rows' ? climb(rows.slice(to, from + 1)) : `${up(from - to)}\r`;
}

/** Erases from this row of the frame on. */
export function eraseFrom(first: number, { rows, rest }: FittedFrame, reflow: Reflow): string {
  return `${rise(rows, rest.row, first, reflow)}${takeAway(reflow)}`;
}

/**
 * Moves from the row below the final part to its end, and erases what follows. The last character is written again:
 * where the terminal has become narrower and the column no longer exists, it lands in the last cell instead of being
 * overwritten.
 */
export function toSeam(grown: readonly string[]): string {
  const row = grown.at(-1) ?? '';
  const [last = ''] = [...graphemesIn(stripStyles(row))].slice(-1);
  const column = rowWidth(row) - rowWidth(last);
  const styled = additionTo(compactRow(cutRow(row, column)), row) ?? last;
  return `${up(1)}${toColumn(column)}${ERASE_RIGHT}${styled}`;
}

/** Leaves the cursor in an empty row, below the final part if that stays. */
export function eraseResized(frame: FittedFrame, isLeft: boolean, resize: Resize): string {
  const { rows, grown, tail, restsAtSeam } = frame;
  const { after, reflow } = resize;
  if (isLeft && restsAtSeam) return `${ERASE_BELOW}\r\n`;
  const first = isLeft ? grown.length : 0;
  const height = heightAboveCursor(frame, resize) - heightOf(rows.slice(0, first), resize);
  const body = reflow === 'rows' ? eraseFrom(first, frame, reflow) : `${up(height)}\r${takeAway(reflow)}`;
  // The end of a row that wrapped or has cells of unsure width is unknown: better repeat a part of a word.
  const row = rows[first - 1] ?? '';
  const hasTail = isLeft && tail !== '' && hasSureWidth(row) && rowHeight(row, after.columns) === 1;
  return hasTail ? `${body}${toSeam(grown)}\r\n` : body;
}

/**
 * For terminals that may be tmux, rows are deleted: tmux keeps rows that are erased from the first cell on in its
 * history.
 */
function takeAway(reflow: Reflow): string {
  return reflow === 'text' ? DELETE_ALL : ERASE_BELOW;
}

function heightOf(rows: readonly string[], { after, reflow, isLeast }: Resize): number {
  return rows.reduce((sum, row) => sum + (reflow === 'none' || isLeast ? 1 : rowHeight(row, after.columns)), 0);
}

/** Rows between the beginning of the frame and the cursor, which moved with its text. */
function heightAboveCursor({ rows, rest }: FittedFrame, resize: Resize): number {
  const { before, after, reflow, isLeast } = resize;
  if (reflow === 'none' || isLeast || after.columns >= before.columns) return rest.row;
  return heightOf(rows.slice(0, rest.row), resize) + Math.floor(rest.column / after.columns);
}
