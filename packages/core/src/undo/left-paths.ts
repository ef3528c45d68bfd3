/** What an undo left for another one to take back, in the record of its end: the paths themselves, or a list in the store. */

import { fromStoredPath } from './byte-path.ts';
import type { StoredPath } from './byte-path.ts';
import type { AppliedRecord, LeftMark, LeftPaths } from './read-undo-records.ts';
import { toStoredChange } from './tree-state.ts';
import type { StoredChange } from './tree-state.ts';
import type { UndoClient } from './undo-client.ts';

const INLINE_PATHS = 30;

export async function toLeftPaths(
  client: UndoClient,
  mark: LeftPaths['mark'],
  paths: readonly StoredPath[],
): Promise<LeftPaths[]> {
  const list = paths.length > INLINE_PATHS ? await keepList(client, paths) : undefined;
  if (list !== undefined) return [{ mark, paths: [], list }];
  return paths.length > 0 ? [{ mark, paths }] : [];
}

export async function readLeftPaths(
  { left }: AppliedRecord,
  readList: (list: string) => Promise<readonly StoredChange[] | undefined>,
): Promise<Map<string, LeftMark>> {
  const marks = new Map<string, LeftMark>();
  for (const { mark, paths, list } of left) {
    const stored = list === undefined ? paths : ((await readList(list)) ?? []).map(([path]) => path);
    for (const path of stored) marks.set(fromStoredPath(path), mark);
  }
  return marks;
}

/** Undefined on a full disk: the record has them itself. */
async function keepList(client: UndoClient, paths: readonly StoredPath[]): Promise<string | undefined> {
  const changes = paths.map((path) => toStoredChange({ path: fromStoredPath(path), before: null, after: null }));
  try {
    return (await client.ask({ do: 'keep', changes })).list;
  } catch {
    return undefined;
  }
}
