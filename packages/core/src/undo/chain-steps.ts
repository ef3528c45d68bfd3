/**
 * Turns the records of a session into steps: for each path, which call brought it from which state to which, in order.
 * A walk sees the sum of what happened since the last one; the exact steps of edits are taken out of it. What was
 * undone is no step any more, until it is redone. Pure.
 */

import { isAbsolute, relative } from 'node:path';
import { fromText, isInGit } from './byte-path.ts';
import type { AppliedRecord, LeftMark, UndoRecord, WalkRecord } from './read-undo-records.ts';
import { AS_IT_IS, fromStoredChange } from './tree-state.ts';
import type { StoredChange, TreeChange, TreeState } from './tree-state.ts';
import { isSameState } from './tree-state.ts';
import type { FileChange } from '../records/session-file.ts';

export interface Step extends TreeChange {
  /** The calls that may have made it; none: no call of this session. */
  readonly callIds: readonly string[];
  /** Made by an edit tool: exact, and its earlier content may be in a file of the session. */
  readonly isEdit: boolean;
  /** Another program made it at about the time of the calls. */
  readonly isUnclear?: boolean | undefined;
  /** Of an edit that made a file, in the record of an older version: the folders above it may be its own. */
  readonly isOlder?: boolean | undefined;
  /** An undo of its calls left it, for this reason. */
  readonly left?: LeftMark | undefined;
}

/** What an undo left for another one to take back, by path. */
export type LeftOf = (record: AppliedRecord) => ReadonlyMap<string, LeftMark>;

export interface Chains {
  /** By path, oldest first. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Edits outside the workspace's root. */
  readonly outside: readonly FileChange[];
  /** Undos that can be redone, the last one last. */
  readonly undone: readonly AppliedRecord[];
  /** An undo or redo that a kill cut off. */
  readonly unfinished: AppliedRecord | undefined;
}

/** `listOf` returns the changes of a record, from the store where they are many; undefined when they are lost. */
export function chainSteps(
  records: readonly UndoRecord[],
  root: string,
  listOf: (record: WalkRecord | AppliedRecord) => readonly StoredChange[] | undefined,
  leftOf: LeftOf = () => new Map(),
): Chains {
  const building = new Building(root, listOf, leftOf);
  for (const record of records) building.add(record);
  return building.result();
}

/** The first may have begun before the edit, the second between its record and its write. */
const UNSEEN_WALKS = 3;

class Building {
  private readonly root: string;
  private readonly listOf: (record: WalkRecord | AppliedRecord) => readonly StoredChange[] | undefined;
  private readonly leftOf: LeftOf;
  private readonly steps = new Map<string, Step[]>();
  private readonly outside: FileChange[] = [];
  /** Edits that no walk has seen yet, by path: one may be on record before a walk that began earlier. */
  private readonly fresh = new Map<string, Step[]>();
  private walks = 0;
  /** By path: the number of walks on record when its latest edit was announced. */
  private readonly announcedAt = new Map<string, number>();
  private readonly undone: { record: AppliedRecord; taken: Map<string, Step[]> }[] = [];
  private unfinished: AppliedRecord | undefined;

  constructor(root: string, listOf: Building['listOf'], leftOf: LeftOf) {
    this.root = root;
    this.listOf = listOf;
    this.leftOf = leftOf;
  }

  add(record: UndoRecord): void {
    if (record.kind === 'edit') this.edit(record.change);
    else if (record.kind === 'walk') this.walk(record);
    else this.applied(record);
  }

  result(): Chains {
    const { steps, outside, unfinished } = this;
    return { steps, outside, unfinished, undone: this.undone.map(({ record }) => record) };
  }

  private edit(change: FileChange): void {
    // A file that was written again as it was.
    if (change.before === change.after) return;
    const path = relative(this.root, change.path);
    if (path === '' || path.startsWith('..') || isAbsolute(path)) {
      this.outside.push(change);
      return;
    }
    const { before, after, newFolders } = change;
    const by = { callIds: [change.callId], isEdit: true };
    for (const folder of foldersAbove(fromText(path)).slice(0, newFolders ?? 0))
      this.announced({ ...by, path: folder, before: null, after: { kind: 'folder', mode: AS_IT_IS } });
    const isOlder = before === null && newFolders === undefined;
    this.announced({ ...by, path: fromText(path), before: toState(before), after: toState(after), isOlder });
    this.undone.length = 0;
  }

  private announced(step: Step): void {
    const fresh = this.fresh.get(step.path) ?? [];
    this.dropUnmade(step, fresh);
    this.push(step);
    fresh.push(step);
    this.fresh.set(step.path, fresh);
    this.announcedAt.set(step.path, this.walks);
  }

  /** An edit is on record before it happens: one that failed left the content the next one begins with. */
  private dropUnmade({ path, before }: Step, fresh: Step[]): void {
    const last = fresh.at(-1);
    if (!last || isSameState(last.after, before) || !isSameState(last.before, before)) return;
    fresh.pop();
    this.steps.set(
      path,
      (this.steps.get(path) ?? []).filter((step) => step !== last),
    );
  }

  private walk(record: WalkRecord): void {
    const changes = (this.listOf(record) ?? []).flatMap((stored) => fromStoredChange(stored) ?? []);
    // Before the files in them are seen: a folder belongs to the edit that makes its first file.
    const makers = new Map(changes.map((change) => [change, this.makersOf(change)]));
    const { isUnclear, isExact = false } = record;
    if (isExact) for (const { path } of changes) this.fresh.delete(path);
    for (const change of changes)
      this.seen(change, { callIds: [...record.callIds, ...(makers.get(change) ?? [])], isEdit: false, isUnclear });
    this.dropUnseen();
    if (record.callIds.length > 0 && record.count > 0) this.undone.length = 0;
  }

  /** An edit that so many walks have not seen was undone by another program before the first of them looked. */
  private dropUnseen(): void {
    this.walks += 1;
    for (const [path, at] of this.announcedAt) {
      if (this.walks - at < UNSEEN_WALKS) continue;
      this.fresh.delete(path);
      this.announcedAt.delete(path);
    }
  }

  /** Edits are exact; what else the walk saw happened before or after them. */
  private seen(change: TreeChange, by: Pick<Step, 'callIds' | 'isEdit' | 'isUnclear'>): void {
    const { path } = change;
    const edits = this.fresh.get(path) ?? [];
    if (edits.length === 0) {
      this.push({ ...change, ...by });
      return;
    }
    const reached = edits.findLastIndex((edit) => isSameState(edit.after, change.after)) + 1;
    const made = reached > 0 ? edits.slice(0, reached) : edits;
    this.fresh.set(path, edits.slice(made.length));
    const [first] = made as [Step, ...Step[]];
    const last = made.at(-1) ?? first;
    const startsThere = isSameState(change.before, first.before);
    const endsThere = isSameState(last.after, change.after) && (!startsThere || isModeKept(change));
    // An edit keeps the mode: what it left tells what it found.
    const found = startsThere ? change.before : withMode(first.before, endsThere ? change.after : null);
    const replacing = made.map((edit) => ({
      ...edit,
      before: edit === first ? found : edit.before,
      after: edit === last && endsThere ? change.after : withMode(edit.after, change.before),
    }));
    const gap = { path, ...by };
    const own = this.steps.get(path) ?? [];
    const at = own.indexOf(first);
    own.splice(
      at,
      made.length,
      ...(startsThere ? [] : [{ ...gap, before: change.before, after: found }]),
      ...replacing,
      ...(endsThere ? [] : [{ ...gap, before: replacing.at(-1)!.after, after: change.after }]),
    );
  }

  /** A new file brings its new folders along, which edits of older versions do not announce. */
  private makersOf({ path, before, after }: TreeChange): string[] {
    if (before !== null || after?.kind !== 'folder') return [];
    const below = [...this.fresh].filter(([file]) => file.startsWith(`${path}/`)).flatMap(([, edits]) => edits);
    return below.filter(({ isOlder = false }) => isOlder).flatMap((edit) => edit.callIds);
  }

  private applied(record: AppliedRecord): void {
    if (!record.isFinished) {
      this.unfinished = record;
      return;
    }
    this.fresh.clear();
    if (record.kind === 'undo') this.undone.push({ record, taken: this.take(record) });
    else this.giveBack();
  }

  /** What can still be taken back stays, with the reason why it was not. */
  private take(record: AppliedRecord): Map<string, Step[]> {
    const callIds = new Set(record.callIds);
    const leftOf = this.leftOf(record);
    const taken = new Map<string, Step[]>();
    for (const [path, steps] of this.steps) {
      const isTaken = (step: Step) => step.callIds.some((each) => callIds.has(each));
      const gone = steps.filter(isTaken);
      if (gone.length === 0) continue;
      const left = record.hasLeftGit && isInGit(path) ? 'git' : leftOf.get(path);
      if (left !== undefined) {
        this.steps.set(
          path,
          steps.map((step) => (isTaken(step) ? { ...step, left } : step)),
        );
        continue;
      }
      taken.set(path, gone);
      const others = steps.filter((step) => !isTaken(step));
      if (others.length > 0) this.steps.set(path, others);
      else this.steps.delete(path);
    }
    return taken;
  }

  private giveBack(): void {
    for (const [path, steps] of this.undone.pop()?.taken ?? [])
      this.steps.set(path, [...(this.steps.get(path) ?? []), ...steps]);
  }

  private push(step: Step): void {
    const own = this.steps.get(step.path) ?? [];
    own.push(step);
    this.steps.set(step.path, own);
  }
}

/** The deepest first. */
function foldersAbove(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, names.length - 1 - index).join('/'));
}

function isModeKept({ before, after }: TreeChange): boolean {
  return before?.kind !== 'file' || after?.kind !== 'file' || before.mode === after.mode;
}

/** Edits know contents only; a walk saw the mode. */
function withMode(state: TreeState, seen: TreeState): TreeState {
  return state?.kind === 'file' && state.mode === AS_IT_IS && seen?.kind === 'file'
    ? { ...state, mode: seen.mode }
    : state;
}

function toState(content: string | null): TreeState {
  return content === null ? null : { kind: 'file', mode: AS_IT_IS, content, size: 0 };
}
