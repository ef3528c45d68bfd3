/**
 * UndoDesk: what a user can take back in one session, what that would do, and doing it: list, preview, undo and redo. It
 * reads the session's file anew each time, and asks the process beside the program about files and contents.
 */

import { dirname, join } from 'node:path';
import { readSessionFile } from '../records/read-session-file.ts';
import type { Clock } from '../util/clock.ts';
import { fromStoredPath, isInGit, toStoredPath, toText } from './byte-path.ts';
import { chainSteps } from './chain-steps.ts';
import { changesOfOthers } from './changes-of-others.ts';
import type { Chains } from './chain-steps.ts';
import type { ReadContent } from './describe-changes.ts';
import { fitFolders } from './fit-folders.ts';
import { readLeftPaths, toLeftPaths } from './left-paths.ts';
import { findClaims } from './other-sessions.ts';
import { pathsToUndo, planRedo, planUndo } from './plan-undo.ts';
import type { UndoExtent, UndoPlan } from './plan-undo.ts';
import {
  callsAlongside,
  chooseCalls,
  choosePrompts,
  describePlan,
  idsOf,
  isConcerned,
  NotInSession,
  toOutcome,
  UndoError,
} from './undo-preview.ts';
import type { ListedPrompt, UndoOutcome, UndoPreview, UndoSelection } from './undo-preview.ts';
import { readUndoRecords } from './read-undo-records.ts';
import type { AppliedRecord, LeftMark, UndoRecords, WalkRecord } from './read-undo-records.ts';
import { fromStoredChange, toStoredChange, unkeptReason } from './tree-state.ts';
import type { StoredChange, TreeChange, TreeState } from './tree-state.ts';
import type { UndoClient } from './undo-client.ts';

export interface UndoDeskOptions {
  readonly root: string;
  /** The session's file. */
  readonly path: string;
  readonly client: () => Promise<UndoClient>;
  readonly record: (record: object) => void;
  readonly clock: Clock;
  /** Files of other sessions of the project, which may work at the same time. */
  readonly otherSessions?: () => readonly string[];
  /** Looks at the workspace once more, for a preview: what changed since the last walk and is not on record after it. */
  readonly look?: () => Promise<readonly TreeChange[]>;
  /** Called after files changed. */
  readonly refresh?: () => Promise<void>;
}

const INLINE_CHANGES = 30;

/** An undo or redo that was cut off, and how its completion ended. */
export interface FinishedUndo extends AppliedRecord {
  readonly outcome: UndoOutcome;
}

interface Loaded extends UndoRecords {
  readonly chains: Chains;
  /** Contents in files of the session, by hash. */
  readonly files: Readonly<Record<string, string>>;
  /** Undefined for changes that are no longer kept. */
  readonly listOf: (record: WalkRecord | AppliedRecord) => readonly StoredChange[] | undefined;
}

export class UndoDesk {
  private readonly options: UndoDeskOptions;

  constructor(options: UndoDeskOptions) {
    this.options = options;
  }

  /** Oldest first. */
  async list(): Promise<ListedPrompt[]> {
    const { prompts, chains } = await this.load();
    const undone = new Set(chains.undone.flatMap(({ callIds }) => callIds));
    const count = (ids: readonly string[]) => pathsToUndo(chains, new Set(ids)).filter((path) => !isInGit(path)).length;
    return prompts.map(({ number, text, time, calls }) => ({
      number,
      text,
      time,
      files: count(calls.map(({ callId }) => callId)),
      isUndone: calls.some(({ callId }) => undone.has(callId)),
      calls: calls
        .filter(({ hasEffects }) => hasEffects)
        .map(({ callId, name, description, isCovered }) => ({
          ...{ callId, name, description, isCovered },
          files: count([callId]),
        })),
    }));
  }

  /** Changes nothing. Throws UndoError. */
  async preview(
    selection: UndoSelection,
    { withGit = false, withShared = false, isShown = false } = {},
  ): Promise<UndoPreview> {
    const unseen = (isShown ? await this.options.look?.() : undefined) ?? [];
    const loaded = await this.load();
    const extent = { withGit, withShared };
    const chosen = choosePrompts(loaded, selection, extent);
    const prompts = chosen.filter((prompt) => isConcerned(loaded.chains, prompt, extent));
    const selected = chooseCalls(chosen, selection);
    const callIds = new Set(prompts.flatMap(idsOf).filter((id) => selected.has(id)));
    const plan = await this.plan(loaded, callIds, extent);
    const uncoveredCalls = prompts
      .flatMap(({ calls }) => calls)
      .filter(({ callId, isCovered }) => callIds.has(callId) && !isCovered);
    const described = describePlan(plan);
    const named = new Set([
      ...plan.changes.map(({ path }) => toText(path)),
      ...described.leftAlone.map(({ path }) => path),
    ]);
    const outside = loaded.chains.outside.filter((change) => callIds.has(change.callId)).map(({ path }) => path);
    return {
      kind: 'undo',
      withGit,
      prompts: prompts.map(({ number, text }) => ({ number, text })),
      callIds: [...callIds],
      alongside: callsAlongside(loaded, callIds),
      ...described,
      byOthers: changesOfOthers(loaded, callIds, unseen).filter((path) => !named.has(path)),
      uncoveredCalls: uncoveredCalls.map(({ callId, name, description }) => ({ callId, name, description })),
      outside: [...new Set(outside)],
    };
  }

  /** What the session changed at one path, by its text, and the folders it needs. */
  async planPath(path: string): Promise<UndoPlan> {
    const loaded = await this.load();
    const extent = { withGit: false, withShared: false };
    const plan = await this.plan(loaded, new Set(loaded.prompts.flatMap(idsOf)), extent);
    const isOf = (each: { path: string }) => toText(each.path) === path;
    const isAbove = ({ path: own, after }: TreeChange) =>
      path.startsWith(`${toText(own)}/`) && after?.kind === 'folder';
    return {
      changes: plan.changes.filter((change) => isOf(change) || isAbove(change)),
      leftAlone: plan.leftAlone.filter(isOf),
      notCovered: plan.notCovered.filter(isOf),
    };
  }

  /** The last undo, the other way round. Throws UndoError. */
  async previewRedo({ withGit = false } = {}): Promise<UndoPreview> {
    const loaded = await this.load();
    const last = loaded.chains.undone.at(-1);
    if (!last) throw new NotInSession('Nothing to redo: no undo was made since the last change.');
    const changes = (await this.changesOf(last)).map(({ path, before, after }) => ({
      path,
      before: after,
      after: before,
    }));
    const present = await this.statesOf(changes.map(({ path }) => path));
    const contents = changes.flatMap(({ after }) => (after?.kind === 'file' ? [after.content] : []));
    const known = await this.knownContents(contents, {});
    const plan = await this.fit(planRedo(changes, { present, withGit, has: (content) => known.has(content) }));
    const own = new Set(last.callIds);
    const prompts = loaded.prompts.filter((prompt) => idsOf(prompt).some((id) => own.has(id)));
    return {
      kind: 'redo',
      withGit,
      prompts: prompts.map(({ number, text }) => ({ number, text })),
      ...{ callIds: last.callIds, alongside: [] },
      ...describePlan(plan),
      uncoveredCalls: [],
      outside: [],
      byOthers: [],
    };
  }

  /** Carries out a preview. Every path is compared again before it is touched. */
  async apply({ kind, callIds, changes, withGit, leftShared }: UndoPreview): Promise<UndoOutcome> {
    const { files } = await this.load();
    const client = await this.options.client();
    const id = `${kind}-${this.options.clock.now().toString(36)}`;
    const stored = changes.map(toStoredChange);
    const list = stored.length > INLINE_CHANGES ? (await client.ask({ do: 'keep', changes: stored })).list : undefined;
    const left = await toLeftPaths(client, 'shared', leftShared.map(toStoredPath));
    const facts = { id, kind, callIds, hasLeftGit: !withGit, left };
    // On record first: a killed program finds out what it was doing.
    this.options.record({ $undoStarted: { ...facts, ...(list ? { list } : { changes: stored }) } });
    const outcome = await this.carryOut(id, stored, files);
    // What the user changes next is theirs: a walk that is still under way would count it as part of the undo.
    await this.options.refresh?.();
    return outcome;
  }

  /** Completes an undo that a kill cut off; undefined when there is none. */
  async finishCutOff(): Promise<FinishedUndo | undefined> {
    const { chains, files } = await this.load();
    const { unfinished } = chains;
    if (!unfinished) return undefined;
    const changes = (await this.changesOf(unfinished)).map(toStoredChange);
    const outcome = await this.carryOut(unfinished.id, changes, files, { isRepaired: true });
    return { ...unfinished, outcome };
  }

  /** Reads contents of states as bytes, for diffs; undefined for one that is not kept. */
  async openContents(): Promise<ReadContent> {
    const { files } = await this.load();
    const client = await this.options.client();
    return async (state, path) => {
      if (state?.kind !== 'file' || unkeptReason(state.content) !== undefined) return undefined;
      const { content } = state;
      const { bytes } = await client.ask({ do: 'read', content, file: files[content], path: toStoredPath(path) });
      return bytes === undefined ? undefined : Buffer.from(bytes, 'base64');
    };
  }

  async load(): Promise<Loaded> {
    const { path, root } = this.options;
    const read = readUndoRecords(readSessionFile(path));
    const lists = new Map<WalkRecord | AppliedRecord, readonly StoredChange[] | undefined>();
    for (const record of read.records) {
      if (record.kind === 'edit') continue;
      lists.set(record, record.list === undefined ? record.changes : await this.readList(record.list));
    }
    const listOf = (record: WalkRecord | AppliedRecord) => lists.get(record);
    const left = new Map<AppliedRecord, Map<string, LeftMark>>();
    for (const record of read.records)
      if (record.kind === 'undo' || record.kind === 'redo')
        left.set(record, await readLeftPaths(record, (list) => this.readList(list)));
    const chains = chainSteps(read.records, root, listOf, (record) => left.get(record) ?? new Map());
    const chats = dirname(path);
    const files: Record<string, string> = {};
    for (const record of read.records) {
      const { before = null, preImage } = record.kind === 'edit' ? record.change : {};
      if (before !== null && preImage !== undefined) files[before] = join(chats, preImage);
    }
    return { ...read, chains, files, listOf };
  }

  private async carryOut(
    id: string,
    changes: readonly StoredChange[],
    files: Readonly<Record<string, string>>,
    facts: { isRepaired?: boolean } = {},
  ): Promise<UndoOutcome> {
    const client = await this.options.client();
    const answer = await client.ask({ do: 'apply', changes, files });
    const { done, skipped, isVerified } = answer;
    const failed = skipped.filter(({ reason }) => reason === 'failed').map(({ path }) => path);
    const left = await toLeftPaths(client, 'failed', failed);
    this.options.record({
      $undoEnded: { id, isVerified, done: done.length, skipped: skipped.length, left, ...facts },
    });
    return toOutcome(answer, facts);
  }

  private async plan(loaded: Loaded, callIds: ReadonlySet<string>, extent: UndoExtent): Promise<UndoPlan> {
    const { chains, files } = loaded;
    const paths = pathsToUndo(chains, callIds);
    const present = await this.statesOf(paths);
    const wanted = paths.flatMap((path) => {
      const state = chains.steps.get(path)?.find((step) => step.callIds.some((id) => callIds.has(id)))?.before;
      return state?.kind === 'file' && unkeptReason(state.content) === undefined ? [state.content] : [];
    });
    const known = await this.knownContents(wanted, files);
    const first = loaded.prompts.find(({ calls }) => calls.some(({ callId }) => callIds.has(callId)));
    const since = Date.parse(first?.time ?? '') || 0;
    const { otherSessions, root } = this.options;
    const readList = (list: string) => this.readList(list);
    const claimOf = await findClaims(otherSessions?.() ?? [], { root, since, readList });
    const plan = planUndo({ chains, callIds, present, ...extent, claimOf, has: (content) => known.has(content) });
    return this.fit(plan);
  }

  /** Leaves out what the folders do not allow. */
  private async fit(plan: UndoPlan): Promise<UndoPlan> {
    return fitFolders(plan, {
      statesOf: (paths) => this.statesOf(paths),
      childrenOf: async (paths) => {
        const client = await this.options.client();
        const names = await client.ask({ do: 'children', paths: paths.map(toStoredPath) });
        return names.map((each) => each.map(fromStoredPath));
      },
    });
  }

  private async statesOf(paths: readonly string[]): Promise<Map<string, TreeState>> {
    if (paths.length === 0) return new Map();
    const client = await this.options.client();
    const states = await client.ask({ do: 'states', paths: paths.map(toStoredPath) });
    return new Map(states.flatMap((each) => fromStoredChange(each) ?? []).map(({ path, after }) => [path, after]));
  }

  private async knownContents(
    contents: readonly string[],
    files: Readonly<Record<string, string>>,
  ): Promise<Set<string>> {
    if (contents.length === 0) return new Set();
    const client = await this.options.client();
    return new Set((await client.ask({ do: 'has', contents, files })).known);
  }

  private async changesOf(record: AppliedRecord): Promise<TreeChange[]> {
    const stored = record.list === undefined ? record.changes : await this.readList(record.list);
    if (!stored) throw new UndoError('What that undo did is no longer kept.');
    return stored.flatMap((each) => fromStoredChange(each) ?? []);
  }

  private async readList(list: string): Promise<readonly StoredChange[] | undefined> {
    const client = await this.options.client();
    return (await client.ask({ do: 'list', list })).changes;
  }
}
