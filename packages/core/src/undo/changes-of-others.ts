/**
 * The paths that changed since the first of some calls by no call of the session: by the user, another program, or a job in
 * the background. Undo does not touch them, and shows them. Pure.
 */

import { isInGit, toText } from './byte-path.ts';
import type { Chains } from './chain-steps.ts';
import type { AppliedRecord, UndoRecord, WalkRecord } from './read-undo-records.ts';
import { fromStoredChange, isSameState } from './tree-state.ts';
import type { StoredChange, TreeChange } from './tree-state.ts';

interface OwnChanges {
  readonly records: readonly UndoRecord[];
  readonly chains: Chains;
  readonly listOf: (record: WalkRecord | AppliedRecord) => readonly StoredChange[] | undefined;
}

/** `unseen`: changes since the last walk that is on record. */
export function changesOfOthers(
  { records, chains, listOf }: OwnChanges,
  callIds: ReadonlySet<string>,
  unseen: readonly TreeChange[] = [],
): string[] {
  const walks = records.filter((record) => record.kind === 'walk');
  const first = walks.findIndex((walk) => walk.callIds.some((id) => callIds.has(id)));
  const time = walks[first]?.time;
  // What one walk saw has one time; the changes of others come before those of the calls.
  const others = walks.filter(
    (walk, index) =>
      first >= 0 && walk.callIds.length === 0 && (index > first || (time !== undefined && walk.time === time)),
  );
  const changesIn = (list: readonly (WalkRecord | AppliedRecord)[]) =>
    list.flatMap((record) => (listOf(record) ?? []).flatMap((stored) => fromStoredChange(stored) ?? []));
  // A walk also sees what an undo or a redo of this session wrote.
  const own = records.filter((record) => record.kind === 'undo' || record.kind === 'redo') as AppliedRecord[];
  const applied = Map.groupBy(changesIn(own), ({ path }) => path);
  const isApplied = ({ path, after }: TreeChange) =>
    applied.get(path)?.some((change) => isSameState(change.after, after)) ?? false;
  const isOwn = ({ path, after }: TreeChange) => {
    const last = chains.steps.get(path)?.at(-1);
    return last !== undefined && last.callIds.length > 0 && isSameState(last.after, after);
  };
  const paths = [...changesIn(others), ...unseen.filter((change) => !isOwn(change))]
    .filter((change) => !isApplied(change))
    .map(({ path }) => path);
  return [...new Set(paths)].filter((path) => !isInGit(path)).map(toText);
}
