/** The words of an undo: which prompts and calls it takes back, what it will do to which path and why, how it ended. */

import { fromStoredPath, isInGit, toText } from './byte-path.ts';
import type { StoredPath } from './byte-path.ts';
import type { Chains, Step } from './chain-steps.ts';
import { pathsToUndo } from './plan-undo.ts';
import type { LeftReason, UncoveredReason, UndoExtent, UndoPlan } from './plan-undo.ts';
import type { UndoPrompt } from './read-undo-records.ts';
import { unkeptReason } from './tree-state.ts';
import type { TreeChange, TreeState } from './tree-state.ts';
import { countOf } from '../util/short-text.ts';
import type { ApplyAnswer } from './undo-requests.ts';
import { LEFT_ALONE, NOT_COVERED } from './undo-sentences.ts';

const NAME_LENGTH = 80;

/** What to take back: the last prompts with changes, everything since a prompt, one call, or it and all after it. */
export type UndoSelection = { last: number } | { to: string } | { call: string } | { since: string };

/** The request cannot be carried out: the sentence says why. */
export class UndoError extends Error {
  override readonly name: string = 'UndoError';
}

/** The session holds nothing of what is to be taken back; another one may. */
export class NotInSession extends UndoError {
  override readonly name = 'NotInSession';
}

export interface ListedPrompt {
  readonly number: number;
  readonly text: string;
  readonly time?: string | undefined;
  /** Paths that can be taken back. */
  readonly files: number;
  readonly isUndone: boolean;
  readonly calls: readonly { callId: string; name: string; description: string; files: number; isCovered: boolean }[];
}

export interface UndoPreview {
  readonly kind: 'undo' | 'redo';
  readonly withGit: boolean;
  readonly prompts: readonly { number: number; text: string }[];
  readonly callIds: readonly string[];
  /** Calls that ran at the same time as one of these: what they changed cannot be told apart, and is part of it. */
  readonly alongside: readonly { callId: string; name: string; description: string }[];
  readonly changes: readonly TreeChange[];
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly recreated: readonly string[];
  /** Paths whose present content is not kept: it is lost. */
  readonly unkept: readonly string[];
  readonly leftAlone: readonly { path: string; reason: LeftReason; because: string }[];
  /** The same of those that another session may have made, as byte strings. */
  readonly leftShared: readonly string[];
  /** Taken back although another session may have made them. */
  readonly shared: readonly string[];
  readonly notCovered: readonly { path: string; reason: UncoveredReason; because: string }[];
  /** Calls that ran while undo covered edits only. */
  readonly uncoveredCalls: readonly { callId: string; name: string; description: string }[];
  /** Edited files outside the workspace; the session's own edits, by path. */
  readonly outside: readonly string[];
  /** Changed since by no call of the session, and not touched. */
  readonly byOthers: readonly string[];
}

export interface UndoOutcome {
  readonly done: readonly string[];
  readonly skipped: readonly { path: string; because: string }[];
  readonly isVerified: boolean;
  readonly isDiskFull: boolean;
}

export const SKIPPED = {
  changed: 'it changed at this moment',
  not_empty: LEFT_ALONE.not_empty,
  content_missing: NOT_COVERED.lost,
  failed: 'it could not be changed',
  no_folder: LEFT_ALONE.no_folder,
} as const;

/** `isRepaired`: it was planned long before. */
export function toOutcome(
  { done, skipped, isVerified, isDiskFull }: ApplyAnswer,
  { isRepaired = false }: { isRepaired?: boolean } = {},
): UndoOutcome {
  const named = (path: StoredPath) => toText(fromStoredPath(path));
  const words = isRepaired ? { ...SKIPPED, changed: LEFT_ALONE.changed_since } : SKIPPED;
  return {
    done: done.map(named),
    skipped: skipped.map(({ path, reason, message }) => ({ path: named(path), because: message ?? words[reason] })),
    isVerified,
    isDiskFull,
  };
}

/** The calls that share a change with others, and are not among them. */
export function callsAlongside(
  { prompts, chains }: { readonly prompts: readonly UndoPrompt[]; readonly chains: Chains },
  callIds: ReadonlySet<string>,
): UndoPreview['alongside'] {
  const shared = [...chains.steps.values()].flat().filter((step) => step.callIds.some((id) => callIds.has(id)));
  const others = new Set(shared.flatMap((step) => step.callIds).filter((id) => !callIds.has(id)));
  return prompts
    .flatMap(({ calls }) => calls)
    .filter(({ callId }) => others.has(callId))
    .map(({ callId, name, description }) => ({ callId, name, description }));
}

export function idsOf({ calls }: UndoPrompt): string[] {
  return calls.map(({ callId }) => callId);
}

function hasChanges(chains: Chains, prompt: UndoPrompt, extent: UndoExtent, isEvenGit = false): boolean {
  const own = new Set(idsOf(prompt));
  const isOpen = ({ callIds, left }: Step) =>
    callIds.some((id) => own.has(id)) &&
    (left === 'git' ? extent.withGit : left === 'shared' ? extent.withShared : true);
  return (
    pathsToUndo(chains, own).some(
      (path) => (extent.withGit || isEvenGit || !isInGit(path)) && chains.steps.get(path)!.some(isOpen),
    ) || chains.outside.some(({ callId }) => own.has(callId))
  );
}

/** Whether there is something to say about a prompt; not for one that is undone already. */
export function isConcerned(chains: Chains, prompt: UndoPrompt, extent: UndoExtent): boolean {
  return hasChanges(chains, prompt, extent, true) || prompt.calls.some(({ isCovered }) => !isCovered);
}

export function choosePrompts(
  { prompts, chains }: { readonly prompts: UndoPrompt[]; readonly chains: Chains },
  selection: UndoSelection,
  extent: UndoExtent,
): UndoPrompt[] {
  if ('call' in selection || 'since' in selection) {
    const call = 'call' in selection ? selection.call : selection.since;
    const index = prompts.findIndex((each) => idsOf(each).includes(call));
    if (index < 0) throw new NotInSession(`This session has no call "${call}".`);
    return 'call' in selection ? [prompts[index]!] : prompts.slice(index);
  }
  if ('last' in selection) {
    const changed = prompts.filter((prompt) => hasChanges(chains, prompt, extent)).slice(-selection.last);
    const [first] = changed;
    if (!first) throw nothingToUndo(prompts);
    return prompts.slice(prompts.indexOf(first));
  }
  const { to } = selection;
  const index = prompts.findIndex(
    ({ number, id, messageId }) => String(number) === to || id === to || messageId === to,
  );
  if (index < 0) throw new UndoError(`This session has no prompt "${to}". castor undo --list shows the numbers.`);
  return prompts.slice(index);
}

/** What was changed without cover is not passed over for something older. */
function nothingToUndo(prompts: readonly UndoPrompt[]): UndoError {
  const uncovered = prompts.flatMap(({ calls }) => calls).filter(({ isCovered }) => !isCovered);
  const nothing = 'Nothing to undo: no prompt of this session changed a file that is not undone yet';
  if (uncovered.length === 0) return new NotInSession(`${nothing}.`);
  const { name, description } = uncovered.at(-1)!;
  const ran = `${countOf(uncovered.length, 'call')} ran while undo covered edits only, and may have changed files`;
  const last = `${name} ${description}`.trim().slice(0, NAME_LENGTH);
  return new UndoError(`${nothing}, but ${ran}: ${last}. castor undo --list shows what other sessions changed.`);
}

export function describePlan({ changes, leftAlone, notCovered, shared = [] }: UndoPlan) {
  const isShared = new Set(shared);
  const named = (fits: (change: TreeChange) => boolean) => changes.filter(fits).map(({ path }) => toText(path));
  return {
    changes,
    restored: named(({ before, after }) => before !== null && after !== null),
    deleted: named(({ after }) => after === null),
    recreated: named(({ before }) => before === null),
    unkept: named(({ before, after }) => isUnkept(before) && !isSameContent(before, after)),
    leftAlone: leftAlone.map(({ path, reason }) => ({ path: toText(path), reason, because: LEFT_ALONE[reason] })),
    leftShared: leftAlone.filter(({ reason }) => reason === 'shared').map(({ path }) => path),
    shared: named(({ path }) => isShared.has(path)),
    notCovered: notCovered.map(({ path, reason }) => ({ path: toText(path), reason, because: NOT_COVERED[reason] })),
  };
}

function isUnkept(state: TreeState): boolean {
  return state?.kind === 'file' && unkeptReason(state.content) !== undefined;
}

function isSameContent(left: TreeState, right: TreeState): boolean {
  return left?.kind === 'file' && right?.kind === 'file' && left.content === right.content;
}

/** The calls that a selection takes back. */
export function chooseCalls(prompts: readonly UndoPrompt[], selection: UndoSelection): Set<string> {
  if ('call' in selection) return new Set([selection.call]);
  const all = prompts.flatMap(idsOf);
  return new Set('since' in selection ? all.slice(all.indexOf(selection.since)) : all);
}
