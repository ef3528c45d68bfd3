/** Sequences that move the cursor and take rows away, as text. Pure; nothing here names a place of the screen. */

import { rowWidth } from './row-width.ts';

export const ERASE_RIGHT = '\x1b[K';
export const ERASE_BELOW = '\x1b[J';
/** A row that is too wide for the terminal it arrives at is cut, not broken. */
export const CUT_ROWS = '\x1b[?7l';
export const BREAK_ROWS = '\x1b[?7h';

/** Where a terminal is narrower still, rows of a frame may be left behind. */
const NARROWEST = 20;

const ACROSS = /─{5,}/g;

/** The cursor is back where it was, whatever the window has done to the rows. */
export function inPlace(bytes: string): string {
  return bytes === '' ? '' : `\x1b7${CUT_ROWS}${bytes}${BREAK_ROWS}\x1b8`;
}

/** So many rows are there below the cursor, and it is where it was: where there were none, the screen has scrolled. */
export function makeRoom(count: number): string {
  return `${'\x1bD'.repeat(count)}${up(count)}`;
}

export function toRow(down: number): string {
  return down > 0 ? `\x1b[${down}B` : up(-down);
}

/**
 * From the row the cursor stands in, the last of these, to where the first begins, however many rows of the screen each
 * takes by now. With reverse wraparound xterm.js goes back over the breaks it has made itself, and over no other.
 */
export function climb(rows: readonly string[]): string {
  const back = rows.map((row) => `\r${'\b\r'.repeat(Math.floor(Math.max(rowWidth(row) - 1, 0) / NARROWEST))}`);
  return `\x1b[?45h${back.toReversed().join('\x1b[A')}\x1b[?45l`;
}

export function up(count: number): string {
  return count > 0 ? `\x1b[${count}A` : '';
}

export function toColumn(column: number): string {
  return column === 0 ? '\r' : `\x1b[${column + 1}G`;
}

/** Lines that go across are said once and repeated. */
export function repeatLines(bytes: string): string {
  return bytes.replaceAll(ACROSS, (line) => `─\x1b[${line.length - 1}b`);
}
