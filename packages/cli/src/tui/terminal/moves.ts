/** Sequences that move the cursor and erase rows, as text. Pure; no absolute positions. */

import { rowWidth } from '../text/row-width.ts';

export const ERASE_RIGHT = '\x1b[K';
export const ERASE_BELOW = '\x1b[J';
/** Cuts a row that is too wide for the terminal it arrives at, instead of wrapping it. */
export const CUT_ROWS = '\x1b[?7l';
export const BREAK_ROWS = '\x1b[?7h';

/** In a still narrower terminal, rows of a frame may be left behind. */
const NARROWEST = 20;

const ACROSS = /─{5,}/g;

/** Returns the cursor to its place, whatever the window has done to the rows. */
export function inPlace(bytes: string): string {
  return bytes === '' ? '' : `\x1b7${CUT_ROWS}${bytes}${BREAK_ROWS}\x1b8`;
}

/** Ensures this many rows below the cursor without moving it: scrolls the screen where they are missing. */
export function makeRoom(count: number): string {
  return `${'\x1bD'.repeat(count)}${up(count)}`;
}

export function toRow(down: number): string {
  return down > 0 ? `\x1b[${down}B` : up(-down);
}

/**
 * Moves from the cursor's row, the last of these, to the beginning of the first, however many rows of the screen each
 * takes by now. With reverse wraparound xterm.js moves back over the line wraps it made itself, and over no other.
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

/** Writes a horizontal line as one character and a repeat sequence. */
export function repeatLines(bytes: string): string {
  return bytes.replaceAll(ACROSS, (line) => `─\x1b[${line.length - 1}b`);
}
