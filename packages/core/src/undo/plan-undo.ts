/**
 * Decides what an undo does to each path, by the conflict rule: a path is touched only if it is now exactly what the
 * undone calls left, and no other program changed it in between. Everything else is left alone, with the reason. Pure.
 */

import { comparePaths, isInGit } from './byte-path.ts';
import type { Chains, Step } from './chain-steps.ts';
import type { ClaimOf } from './other-sessions.ts';
import { UNKNOWN, isSameState, unkeptReason } from './tree-state.ts';
import type { TreeChange, TreeState, Unkept } from './tree-state.ts';

export type LeftReason =
  | 'changed_since'
  | 'changed_between'
  | 'later_call'
  | 'two_sessions'
  | 'shared'
  | 'unclear'
  | 'git'
  | 'not_empty'
  | 'no_folder'
  | 'unreadable';
export type UncoveredReason = Unkept | 'special' | 'lost' | 'closed';

export interface UndoPlan {
  /** From the present state to the wanted one. */
  readonly changes: readonly TreeChange[];
  readonly leftAlone: readonly { path: string; reason: LeftReason }[];
  readonly notCovered: readonly { path: string; reason: UncoveredReason }[];
  /** Paths of `changes` that another session may have made: the user asked for them too. */
  readonly shared?: readonly string[];
}

/** What an undo includes beside the usual: the repositories' own data, and what another session may have made. */
export interface UndoExtent {
  readonly withGit: boolean;
  readonly withShared: boolean;
}

export interface PlanOptions extends UndoExtent {
  readonly chains: Chains;
  /** The calls to undo. */
  readonly callIds: ReadonlySet<string>;
  /** The present state of every path of `pathsToUndo`. */
  readonly present: ReadonlyMap<string, TreeState>;
  /** Whether a content can be read. */
  readonly has: (content: string) => boolean;
  readonly claimOf?: ClaimOf | undefined;
}

/** The paths that these calls changed. */
export function pathsToUndo({ steps }: Chains, callIds: ReadonlySet<string>): string[] {
  return [...steps].filter(([, own]) => own.some((step) => isOf(step, callIds))).map(([path]) => path);
}

export function planUndo(options: PlanOptions): UndoPlan {
  const { chains, callIds, present } = options;
  const changes: TreeChange[] = [];
  const leftAlone: { path: string; reason: LeftReason }[] = [];
  const notCovered: { path: string; reason: UncoveredReason }[] = [];
  const shared: string[] = [];
  for (const path of pathsToUndo(chains, callIds).toSorted(comparePaths)) {
    const now = present.get(path) ?? null;
    const steps = chains.steps.get(path) ?? [];
    const wanted = steps.find((step) => isOf(step, callIds))?.before ?? null;
    if (isSameState(now, wanted)) continue;
    const reason = reasonToLeave(steps, now, path, options);
    const left = reason === 'shared' && options.withShared ? undefined : reason;
    if (reason === 'shared') shared.push(path);
    const uncovered = left === undefined ? reasonUncovered(wanted, now, options) : undefined;
    if (left !== undefined) leftAlone.push({ path, reason: left });
    else if (uncovered !== undefined) notCovered.push({ path, reason: uncovered });
    else changes.push({ path, before: now, after: wanted });
  }
  return { changes, leftAlone, notCovered, ...(options.withShared && { shared }) };
}

function reasonToLeave(
  steps: readonly Step[],
  now: TreeState,
  path: string,
  { callIds, withGit, claimOf }: PlanOptions,
): LeftReason | undefined {
  if (isInGit(path) && !withGit) return 'git';
  if (isSameState(now, UNKNOWN)) return 'unreadable';
  const first = steps.findIndex((step) => isOf(step, callIds));
  const since = steps.slice(first);
  const stranger = since.find((step) => !isOf(step, callIds));
  if (stranger) return stranger.callIds.length > 0 ? 'later_call' : 'changed_since';
  for (const [index, step] of since.entries()) {
    const next = since[index + 1];
    if (next && !isSameState(step.after, next.before)) return 'changed_between';
  }
  if (since.some(({ isUnclear }) => isUnclear)) return 'unclear';
  const last = since.at(-1);
  if (!last || !isSameState(now, last.after)) return 'changed_since';
  // An edit is exact: what it announced is its own.
  const claim = last.isEdit ? undefined : claimOf?.(path, last.after);
  return claim && (claim === 'edit' ? 'two_sessions' : 'shared');
}

function reasonUncovered(wanted: TreeState, now: TreeState, { has }: PlanOptions): UncoveredReason | undefined {
  if (wanted?.kind === 'other' || now?.kind === 'other') return 'special';
  if (wanted?.kind !== 'file') return undefined;
  if (now?.kind === 'file' && now.content === wanted.content) return undefined;
  const reason = unkeptReason(wanted.content);
  if (reason !== undefined) return reason;
  return has(wanted.content) ? undefined : 'lost';
}

function isOf({ callIds: own }: Step, callIds: ReadonlySet<string>): boolean {
  return own.some((each) => callIds.has(each));
}

/** The same for an undo the other way round: each path must be as the undo left it. */
export function planRedo(
  changes: readonly TreeChange[],
  { present, withGit, has }: Pick<PlanOptions, 'present' | 'withGit' | 'has'>,
): UndoPlan {
  const plan = {
    changes: [] as TreeChange[],
    leftAlone: [] as { path: string; reason: LeftReason }[],
    notCovered: [] as { path: string; reason: UncoveredReason }[],
  };
  for (const change of changes) {
    const now = present.get(change.path) ?? null;
    const { path, after } = change;
    if (isSameState(now, after)) continue;
    if (isInGit(path) && !withGit) plan.leftAlone.push({ path, reason: 'git' });
    else if (isSameState(now, UNKNOWN)) plan.leftAlone.push({ path, reason: 'unreadable' });
    else if (!isSameState(now, change.before)) plan.leftAlone.push({ path, reason: 'changed_since' });
    else if (after?.kind === 'file' && !has(after.content))
      plan.notCovered.push({ path, reason: unkeptReason(after.content) ?? 'lost' });
    else plan.changes.push({ path, before: now, after });
  }
  return plan;
}
