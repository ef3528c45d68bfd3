/**
 * What other sessions of the project say they changed. An edit names its file exactly, so a change that one of them
 * announced is not undone as the effect of a command that ran here at the same time; what commands of two sessions changed
 * at the same time may belong to either.
 */

import { statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { readSessionFile } from '../records/read-session-file.ts';
import type { FileChange } from '../records/session-file.ts';
import { fromText } from './byte-path.ts';
import { readUndoRecords } from './read-undo-records.ts';
import type { WalkRecord } from './read-undo-records.ts';
import { AS_IT_IS, fromStoredChange, isSameState } from './tree-state.ts';
import type { StoredChange, TreeState } from './tree-state.ts';

type Claimant = 'edit' | 'command';

/** What another session says of a change. */
export type ClaimOf = (path: string, after: TreeState) => Claimant | undefined;

interface Claim {
  readonly path: string;
  readonly after: TreeState;
  /** An edit is exact; a command may only have run at that time. */
  readonly by: Claimant;
}

/** Older sessions do not work any more. */
const RECENT_MS = 7 * 24 * 3_600_000;

/** Reads the changes of a record from the store, where they are many. */
type ReadList = (list: string) => Promise<readonly StoredChange[] | undefined>;

/** `since`: a session that wrote nothing from then on had ended, and worked on nothing at the same time. Never throws. */
export async function findClaims(
  sessions: readonly string[],
  { root, since, readList }: { root: string; since: number; readList: ReadList },
): Promise<ClaimOf> {
  const claims: Claim[] = [];
  for (const session of sessions) {
    try {
      if (statSync(session).mtimeMs < Math.max(since, Date.now() - RECENT_MS)) continue;
      for (const record of readUndoRecords(readSessionFile(session)).records)
        if (record.kind === 'edit') claims.push(...claimsOfEdit(record.change, root));
        else if (record.kind === 'walk') claims.push(...(await claimsOfWalk(record, readList)));
    } catch {
      // A session that cannot be read claims nothing.
    }
  }
  const byPath = Map.groupBy(claims, ({ path }) => path);
  return (path, after) => {
    const same = (byPath.get(path) ?? []).filter((claim) => isSameState(claim.after, after));
    return same.find(({ by }) => by === 'edit')?.by ?? same[0]?.by;
  };
}

async function claimsOfWalk({ callIds, changes, list, isExact }: WalkRecord, readList: ReadList): Promise<Claim[]> {
  if (callIds.length === 0) return [];
  const stored = list === undefined ? changes : ((await readList(list)) ?? []);
  const by = isExact ? 'edit' : 'command';
  return stored.flatMap((each) => fromStoredChange(each) ?? []).map(({ path, after }) => ({ path, after, by }));
}

function claimsOfEdit({ path: given, after }: FileChange, root: string): Claim[] {
  const path = relative(root, given);
  if (path.startsWith('..') || isAbsolute(path)) return [];
  const state = after === null ? null : ({ kind: 'file', mode: AS_IT_IS, content: after, size: 0 } as const);
  return [{ path: fromText(path), after: state, by: 'edit' }];
}
