/**
 * Measures the width of a row on a terminal, and cuts it to a width. Rows are one line with SGR sequences, at most one
 * erase at the beginning that fills the row, and nothing that moves the cursor; tabs are not allowed. The process has one terminal, and all rows are measured by its
 * profile.
 */

import stringWidth from 'fast-string-width';
import { DEFAULT_WIDTHS, graphemeWidth } from './graphemes.ts';
import type { WidthProfile } from './graphemes.ts';

/** Plain characters, Latin letters, dashes and boxes take one cell each; most rows contain nothing else. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2013-\u2026\u2500-\u259f]*$/;
// oxlint-disable-next-line no-control-regex -- SGR sequences are what is looked for
const STYLED = /^(?:[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2013-\u2026\u2500-\u259f]|\x1b\[[\d;]*[mK])*$/;
// oxlint-disable-next-line no-control-regex -- see above
const SGR = /\x1b\[[\d;]*[mK]/g;
/** Style sequences, and the text between them. */
// oxlint-disable-next-line no-control-regex -- see above
export const PIECES = /\x1b\[[\d;]*[mK]|[^\x1b]+/g;

const SURE =
  // oxlint-disable-next-line no-control-regex -- see above
  /^(?:[\x20-\x7e\u00c0-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u257f\u2713\u2717\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]|\x1b\[[\d;]*[mK])*$/;

export const RESET = '\x1b[m';
/** Fills the row with the background in force: one erase, so that there is nothing to copy. Before any text. */
export const FILL = '\x1b[K';

/** The background ends with the text: in the frame a filled row could outlive a resize. */
export function withoutFill(row: string): string {
  return row.includes(FILL) ? row.replace(FILL, '') : row;
}

/** Characters that terminals measure differently: emoji, and signs that join or stand beside a letter. */
const DISPUTED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Mc}\ufe0f]/u;

let widths = DEFAULT_WIDTHS;

/** Created on first use: it costs more than everything else before the first frame. */
let segmenter: Intl.Segmenter | undefined;

/** The user-perceived characters of a text. */
export function* graphemesIn(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** The terminal has reported its widths. */
export function useWidths(profile: WidthProfile): void {
  widths = profile;
}

export function rowWidth(row: string): number {
  if (PLAIN.test(row)) return row.length;
  if (STYLED.test(row)) return row.replaceAll(SGR, '').length;
  return isCountedOtherwise(row) ? sumOfCells(stripStyles(row)) : stringWidth(row);
}

/** Whether this terminal measures the row in its own way. */
export function isCountedOtherwise(row: string): boolean {
  return widths !== DEFAULT_WIDTHS && DISPUTED.test(row);
}

function sumOfCells(text: string): number {
  let cells = 0;
  for (const grapheme of graphemesIn(text)) cells += graphemeWidth(grapheme, widths);
  return cells;
}

/**
 * Whether every terminal measures it as we do: letters, lines, plain marks and ideographs, no emoji and nothing
 * combined.
 */
export function hasSureWidth(row: string): boolean {
  return SURE.test(row);
}

/** The row without its styles. */
export function stripStyles(row: string): string {
  return row.includes('\x1b') ? row.replaceAll(SGR, '') : row;
}

/** At most `columns` cells of the row; its styles are closed. */
export function cutRow(row: string, columns: number): string {
  if (rowWidth(row) <= columns) return row;
  let cut = '';
  let left = columns;
  for (const [piece] of row.matchAll(PIECES)) {
    if (piece.startsWith('\x1b')) {
      cut += piece;
      continue;
    }
    for (const segment of graphemesIn(piece)) {
      left -= rowWidth(segment);
      if (left < 0) return cut.includes('\x1b') ? cut + RESET : cut;
      cut += segment;
    }
  }
  return cut;
}

/** The row, or its beginning and an ellipsis. */
export function shortenRow(row: string, columns: number): string {
  if (rowWidth(row) <= columns) return row;
  const cut = cutRow(row, Math.max(columns - 1, 0));
  return cut.endsWith(RESET) ? `${cut.slice(0, -RESET.length)}…${RESET}` : `${cut}…`;
}

/** The rows a terminal of this width needs for it: a wide character that does not fit at the end begins the next. */
export function rowHeight(row: string, columns: number): number {
  const width = rowWidth(row);
  const available = Math.max(columns, 1);
  const text = stripStyles(row);
  if (width <= available) return 1;
  if (width === text.length) return Math.ceil(width / available);
  let height = 1;
  let column = 0;
  for (const segment of graphemesIn(text)) {
    const cells = rowWidth(segment);
    if (column + cells > available && column > 0) {
      height++;
      column = 0;
    }
    column += cells;
  }
  return height;
}
