/**
 * One reversible change of the lines, and the lists of changes that undo and redo
 * walk. A patch names the lines it touches and nothing else, so that the memory of
 * an undo list is that of what was typed.
 */

import type { Position } from './visual-layout.ts';

/** What kind of change it was; only like ones next to each other are undone as one. */
export type PatchKind = 'type' | 'erase' | 'other';

export interface Patch {
  readonly kind: PatchKind;
  readonly row: number;
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
  readonly before: Position;
  readonly after: Position;
}

/** Changes that can be undone; the oldest are forgotten. */
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

/** The list with a patch at its end, joined to the one before when both are one stroke of typing. */
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
