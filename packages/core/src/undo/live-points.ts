/**
 * What the sessions of a project still need from the store: the contents of their points, newest first, and the manifests
 * of sessions whose last call is not on record yet.
 */

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProjectDirectories } from '../config/project-registry.ts';
import { findSessionFiles } from '../records/project-sessions.ts';
import type { ProjectSessions } from '../records/project-sessions.ts';
import { readSessionFile } from '../records/read-session-file.ts';
import { findLockHolder } from '../records/session-lock.ts';
import { readUndoRecords } from './read-undo-records.ts';
import { fromStoredChange } from './tree-state.ts';
import { UndoClient } from './undo-client.ts';
import { DEFAULT_BUDGET } from './undo-limits.ts';
import type { CollectAnswer, StoreBudget } from './undo-requests.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

export interface LivePoints {
  /** Newest first: a list in the store, or the contents that a record names itself. */
  readonly points: readonly (string | readonly string[])[];
  /** Sessions whose manifests are needed. */
  readonly sessions: readonly string[];
}

/** Undefined while another program works in the project: it may rely on anything. */
export function findLivePoints(project: ProjectSessions, ownPath?: string): LivePoints | undefined {
  const dated = findSessionFiles(project).map((path) => ({
    path,
    time: statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  }));
  const files = dated.toSorted((left, right) => (right.time ?? 0) - (left.time ?? 0));
  const points: (string | string[])[] = [];
  const sessions: string[] = [];
  for (const { path } of files) {
    if (path !== ownPath && findLockHolder(path)) return undefined;
    const read = readUndoRecords(readSessionFile(path));
    if (read.sessionId !== undefined && (path === ownPath || read.cutOff.length > 0)) sessions.push(read.sessionId);
    for (const record of read.records.toReversed()) {
      if (record.kind === 'edit') continue;
      if (record.list !== undefined) points.push(record.list);
      else if (record.changes.length > 0) points.push(contentsOf(record.changes));
      if (record.kind !== 'walk') points.push(...record.left.flatMap(({ list }) => list ?? []));
    }
  }
  return { points, sessions };
}

/** After sessions were deleted: removes what only they needed. `ownPath`: the session of this program. Never throws. */
export async function collectUndoStore(
  project: ProjectSessions,
  ownPath?: string,
  budget: StoreBudget = DEFAULT_BUDGET,
): Promise<void> {
  for (const directory of findProjectDirectories(project.home, project.root)) {
    const store = join(directory, 'undo');
    try {
      if (!statSync(store, { throwIfNoEntry: false })) continue;
      const live = findLivePoints(project, ownPath);
      if (!live) continue;
      if (live.points.length === 0 && ownPath === undefined && !hasBranches(store)) {
        rmSync(store, { recursive: true, force: true });
        continue;
      }
      await collect(store, project.root, live, budget);
    } catch {
      // The next session tries again.
    }
  }
}

async function collect(store: string, root: string, live: LivePoints, budget: StoreBudget): Promise<CollectAnswer> {
  const { client } = await UndoClient.open({
    ...{ root, store, budget, sessionId: 'collector', limits: DEFAULT_LIMITS, exclude: [] },
  });
  try {
    return await client.ask({ do: 'collect', ...live });
  } finally {
    await client.close();
  }
}

function hasBranches(store: string): boolean {
  return readdirSync(join(store, 'manifests')).some((name) => name.startsWith('branch-'));
}

function contentsOf(changes: readonly unknown[]): string[] {
  return changes.flatMap((stored) => {
    const change = fromStoredChange(stored);
    return [change?.before, change?.after].flatMap((state) => (state?.kind === 'file' ? [state.content] : []));
  });
}
