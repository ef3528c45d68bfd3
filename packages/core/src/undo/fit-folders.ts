/**
 * Fits the plan of an undo to the folders: one that would not be empty stays, and with it the folders above it; nothing is
 * put where there is no folder any more. What is left out or unknown is named, so that the preview is the result.
 */

import { comparePaths, parentOf } from './byte-path.ts';
import type { UndoPlan } from './plan-undo.ts';
import { UNKNOWN, isSameState } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';

/** What lets an owner list and enter a folder. */
const OPEN = 0o500;

export interface PresentFolders {
  readonly statesOf: (paths: readonly string[]) => Promise<ReadonlyMap<string, TreeState>>;
  /** For each path the names in it. */
  readonly childrenOf: (paths: readonly string[]) => Promise<readonly (readonly string[])[]>;
}

export async function fitFolders(plan: UndoPlan, present: PresentFolders): Promise<UndoPlan> {
  return withUnknown(await withPlaces(await withoutFullFolders(plan, present), present), present);
}

async function withoutFullFolders(plan: UndoPlan, { childrenOf }: PresentFolders): Promise<UndoPlan> {
  const doomed = plan.changes.filter(({ before, after }) => before?.kind === 'folder' && after?.kind !== 'folder');
  if (doomed.length === 0) return plan;
  const children = await childrenOf(doomed.map(({ path }) => path));
  const gone = new Set(plan.changes.filter(({ before, after }) => before && after === null).map(({ path }) => path));
  // A folder of the agent's may hold a file of the user's that comes back.
  const filled = new Set(plan.changes.filter(({ after }) => after !== null).map(({ path }) => parentOf(path)));
  const kept = new Set<string>();
  for (const [index, { path }] of [...doomed.entries()].toReversed()) {
    const names = children[index] ?? [];
    if (filled.has(path) || names.some((name) => !gone.has(`${path}/${name}`) || kept.has(`${path}/${name}`)))
      kept.add(path);
  }
  return leave(plan, kept, 'not_empty');
}

async function withPlaces(plan: UndoPlan, { statesOf }: PresentFolders): Promise<UndoPlan> {
  const wanted = new Map(plan.changes.map(({ path, after }) => [path, after]));
  const created = plan.changes.filter(({ path, after }) => after !== null && parentOf(path) !== '');
  const unplanned = new Set(created.map(({ path }) => parentOf(path)).filter((parent) => !wanted.has(parent)));
  const present = unplanned.size > 0 ? await statesOf([...unplanned]) : new Map<string, TreeState>();
  const left = new Set<string>();
  for (const { path } of created.toSorted((one, other) => comparePaths(one.path, other.path))) {
    const parent = parentOf(path);
    const state = wanted.has(parent) ? wanted.get(parent) : present.get(parent);
    if (state?.kind !== 'folder' || left.has(parent)) left.add(path);
  }
  return leave(plan, left, 'no_folder');
}

/** What is in a folder that a call closed may have changed before. */
async function withUnknown(plan: UndoPlan, { statesOf }: PresentFolders): Promise<UndoPlan> {
  const opened = plan.changes.filter(
    ({ before, after }) => before?.kind === 'folder' && (before.mode & OPEN) !== OPEN && after?.kind === 'folder',
  );
  if (opened.length === 0) return plan;
  const inside = await statesOf(opened.map(({ path }) => `${path}/.`));
  const closed = opened.filter(({ path }) => isSameState(inside.get(`${path}/.`) ?? null, UNKNOWN));
  const unknown = closed.map(({ path }) => ({ path, reason: 'closed' as const }));
  return { ...plan, notCovered: [...plan.notCovered, ...unknown] };
}

function leave(plan: UndoPlan, paths: ReadonlySet<string>, reason: 'not_empty' | 'no_folder'): UndoPlan {
  if (paths.size === 0) return plan;
  return {
    ...plan,
    changes: plan.changes.filter(({ path }) => !paths.has(path)),
    leftAlone: [...plan.leftAlone, ...[...paths].map((path) => ({ path, reason }))],
  };
}
