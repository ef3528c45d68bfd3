/**
 * One reversible change of the lines, and the lists of changes that undo and redo walk. A patch contains only the lines
 * it touches, so that an undo list needs no more memory than the typed text.
 */

import type { Position } from './visual-layout.ts';

/** The kind of change; only adjacent changes of the same kind are undone as one. */
export type PatchKind = 'type' | 'erase' | 'other';

export interface Patch {
  readonly kind: PatchKind;
  readonly row: number;
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
  readonly before: Position;
  readonly after: Position;
}

/** Changes that can be undone; the oldest are dropped. */
export const MAX_PATCHES = 500;

/** The lines with `count` of them from `row` on replaced. Safe for any number of lines. */
export function spliceLines(
  lines: readonly string[],
  row: number,
  count: number,
  inserted: readonly string[],
): readonly string[] {
  return lines.slice(0, row).concat(inserted, lines.slice(row + count));
}

export function invert(patch: Patch): Patch {
  return { ...patch, removed: patch.inserted, inserted: patch.removed, before: patch.after, after: patch.before };
}

/** Appends a patch to the list, joined to the previous one when both are one stroke of typing. */
export function appendPatch(past: readonly Patch[], patch: Patch, { joins }: { joins: boolean }): readonly Patch[] {
  const last = past.at(-1);
  if (joins && last !== undefined && isContinued(last, patch)) {
    return [...past.slice(0, -1), { ...last, inserted: patch.inserted, after: patch.after }];
  }
  return [...past.slice(-(MAX_PATCHES - 1)), patch];
}

function isContinued(last: Patch, next: Patch): boolean {
  return (
    last.kind === next.kind &&
    last.kind !== 'other' &&
    last.row === next.row &&
    last.inserted.length === 1 &&
    next.removed.length === 1 &&
    next.inserted.length === 1 &&
    last.after.row === next.before.row &&
    last.after.column === next.before.column
  );
}
