/**
 * Fits a frame to the screen: rows that no terminal wraps, few enough that none scrolls away, their final part, and the
 * resting place of the cursor between writes. Pure.
 */

import { compactRow } from '../text/compact-row.ts';
import type { Caret, Frame, Reflow, Size } from './painter.ts';
import { additionTo } from './row-change.ts';
import { PIECES, cutRow, graphemesIn, rowWidth, withoutFill } from '../text/row-width.ts';

export interface FittedFrame {
  readonly rows: readonly string[];
  /** The final part of the first rows; its last row may be incomplete. */
  readonly grown: readonly string[];
  /** The rest of that row. */
  readonly tail: string;
  readonly rest: Caret;
  /** The cursor rests at the end of the final part. */
  readonly restsAtSeam: boolean;
  readonly isCursorShown: boolean;
}

export const NO_FRAME: FittedFrame = {
  rows: [],
  grown: [],
  tail: '',
  rest: { row: 0, column: 0 },
  restsAtSeam: true,
  isCursorShown: true,
};

const REVERSED = '\x1b[7m';
const UPRIGHT = '\x1b[27m';

export function fitFrame(frame: Frame, size: Size, reflow: Reflow): FittedFrame {
  const most = Math.max(size.rows - 1, 1);
  const caret = caretIn(frame, size, most);
  const mayRest = reflow === 'text' || reflow === 'none';
  const restsAtSeam = mayRest && (caret === undefined || frame.isCaretDrawn === true);
  const rows = frame.rows
    .slice(-most)
    .map((row, index) => (restsAtSeam && index === caret?.row ? markCell(row, caret.column) : row))
    .map((row) => compactRow(cutRow(withoutFill(row), Math.max(size.columns - 1, 1)).trimEnd()));
  // With omitted rows, it is unknown which of the shown rows are final.
  const grown = rows.length === frame.rows.length ? grownOf(rows, frame.seam) : [];
  return {
    rows,
    grown,
    tail: tailOf(rows, grown),
    rest: restsAtSeam ? seamOf(grown) : (caret ?? { row: Math.max(rows.length - 1, 0), column: 0 }),
    restsAtSeam,
    isCursorShown: caret !== undefined && !restsAtSeam,
  };
}

/** The end of the final part. */
function seamOf(grown: readonly string[]): Caret {
  return { row: Math.max(grown.length - 1, 0), column: rowWidth(grown.at(-1) ?? '') };
}

function grownOf(rows: readonly string[], seam: Caret | undefined): string[] {
  const row = seam && rows[seam.row];
  if (seam === undefined || row === undefined || seam.column === 0) return [];
  return [...rows.slice(0, seam.row), compactRow(cutRow(row, seam.column))];
}

function tailOf(rows: readonly string[], grown: readonly string[]): string {
  return additionTo(grown.at(-1) ?? '', rows[grown.length - 1] ?? '') ?? '';
}

function caretIn({ caret, rows }: Frame, size: Size, most: number): Caret | undefined {
  if (!caret) return undefined;
  const row = caret.row - Math.max(rows.length - most, 0);
  if (row < 0 || row >= rows.length) return undefined;
  return { row, column: Math.min(caret.column, size.columns - 1) };
}

/** The row with one cell inverted, like a cursor. */
function markCell(row: string, column: number): string {
  const width = rowWidth(row);
  // Beyond the text there are only blanks.
  if (width <= column) return `${row}${' '.repeat(column - width)}${REVERSED} ${UPRIGHT}`;
  let marked = '';
  let left = column;
  for (const [piece] of row.matchAll(PIECES)) {
    for (const segment of piece.startsWith('\x1b') ? [piece] : graphemesIn(piece)) {
      const cells = piece.startsWith('\x1b') ? 0 : rowWidth(segment);
      marked += cells > 0 && left === 0 ? `${REVERSED}${segment}${UPRIGHT}` : segment;
      left = cells > 0 && left === 0 ? -1 : left - cells;
    }
  }
  return marked;
}
