/**
 * The paths that changed since the first of some calls by no call of the session: by the user, another program, or a job in
 * the background. Undo does not touch them, and shows them. Pure.
 */

import { isInGit, toText } from './byte-path.ts';
import type { UndoRecord, WalkRecord } from './read-undo-records.ts';
import { fromStoredChange } from './tree-state.ts';
import type { StoredChange } from './tree-state.ts';

export function changesOfOthers(
  records: readonly UndoRecord[],
  callIds: ReadonlySet<string>,
  listOf: (record: WalkRecord) => readonly StoredChange[] | undefined,
): string[] {
  const walks = records.filter((record) => record.kind === 'walk');
  const first = walks.findIndex((walk) => walk.callIds.some((id) => callIds.has(id)));
  if (first < 0) return [];
  const { time } = walks[first]!;
  // What one walk saw has one time; the changes of others come before those of the calls.
  const others = walks.filter(
    (walk, index) => walk.callIds.length === 0 && (index > first || (time !== undefined && walk.time === time)),
  );
  const paths = others.flatMap((walk) =>
    (listOf(walk) ?? []).flatMap((stored) => fromStoredChange(stored)?.path ?? []),
  );
  return [...new Set(paths)].filter((path) => !isInGit(path)).map(toText);
}
