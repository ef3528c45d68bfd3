/** Joins the sections of a frame, and locates the caret in them. Pure. */

import type { FrameSections } from './frame-layout.ts';
import type { Caret, Frame } from './terminal/painter.ts';

export interface ComposerPicture {
  readonly rows: readonly string[];
  readonly caret: Caret;
}

export function frameRows(
  { answer, calls, todos, loading, queue, above, dialog, below }: FrameSections,
  composer: ComposerPicture,
): string[] {
  return [...answer, ...calls, ...todos, ...loading, ...queue, ...above, ...(dialog?.rows ?? composer.rows), ...below];
}

export function frameCaret(
  { answer, calls, todos, loading, queue, above, dialog }: FrameSections,
  composer: ComposerPicture,
): Frame['caret'] {
  const before = answer.length + calls.length + todos.length + loading.length + queue.length + above.length;
  const inside = dialog ? dialog.caret : composer.caret;
  return inside && { row: before + inside.row, column: inside.column };
}
