/**
 * The frame without Ink: the first one, which is on the screen before Ink is loaded, and what is left if a component
 * breaks. The composer or the question, and nothing else. Pure.
 */

import { composerRows } from '../components/composer-rows.ts';
import type { FrameData } from '../components/frame-data.ts';
import { gapRows } from '../components/gap-rows.ts';
import type { DialogView } from '../dialogs/dialog.ts';
import { composerCaret, composerHeight } from '../input/composer-view.ts';
import type { Frame } from '../terminal/painter.ts';

type PlainData = Pick<FrameData, 'size' | 'styles' | 'rule' | 'dialog' | 'composer'>;

/** In a lower terminal, an empty row is one row too many. */
const ROOM_FOR_GAPS = 12;
const LEAST_DIALOG_ROWS = 3;

export function plainFrame({ composer, rule, styles, size }: PlainData, dialog: DialogView | undefined): string[] {
  const gap = gapRows(hasRoomForGap(size), composer, dialog);
  return [...gap, ...(dialog?.rows ?? composerRows(composer, rule, styles))];
}

export function plainDialog(data: PlainData): DialogView | undefined {
  return viewDialog(data, data.size.rows - 1 - (hasRoomForGap(data.size) ? 1 : 0));
}

export function hasRoomForGap({ rows }: PlainData['size']): boolean {
  return rows >= ROOM_FOR_GAPS;
}

/** The answers stand at the end: rows that do not fit are left out above. */
export function viewDialog({ dialog, styles, size }: PlainData, left: number): DialogView | undefined {
  const most = Math.max(left, LEAST_DIALOG_ROWS);
  const view = dialog?.view({ styles, width: size.columns - 1, maxRows: most });
  if (!view) return undefined;
  const { rows, caret } = view;
  const excess = Math.max(rows.length - most, 0);
  return { rows: rows.slice(excess), ...(caret && { caret: { ...caret, row: caret.row - excess } }) };
}

/** The composer and the question are the last rows of any frame. */
export function caretIn(
  rows: readonly string[],
  { composer }: Pick<PlainData, 'composer'>,
  dialog: DialogView | undefined,
): Frame['caret'] {
  const [height, inside] = dialog
    ? [dialog.rows.length, dialog.caret]
    : [composerHeight(composer), composerCaret(composer)];
  return inside && { row: rows.length - height + inside.row, column: inside.column };
}
