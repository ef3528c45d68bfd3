/**
 * UndoWorker: what the process beside the program does for it: walks, keeps contents, tells states, restores, removes
 * what is no longer needed. One request after the other.
 */

import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { readCopy } from '../records/pre-images.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { applyChanges } from './apply-changes.ts';
import { BoundedStore } from './bounded-store.ts';
import { fromStoredPath, fromText, toStoredPath, toSystemPath, toText } from './byte-path.ts';
import type { StoredPath } from './byte-path.ts';
import { ChangeEvidence, clockOffset, hasLocalTimes, isSteady } from './change-evidence.ts';
import { collectGarbage } from './collect-garbage.ts';
import { ContentStore, hashOf } from './content-store.ts';
import { fileMoment } from './file-moment.ts';
import { ManifestReader } from './manifest.ts';
import { ManifestFiles } from './manifest-files.ts';
import { releaseFolder, stateAt } from './held-folder.ts';
import { lstatOf } from './read-state.ts';
import { fromStoredChange, toStoredChange } from './tree-state.ts';
import type { StoredChange, TreeChange } from './tree-state.ts';
import type {
  Answers,
  ApplyRequest,
  ChangeSet,
  CollectRequest,
  ListRequest,
  OpenRequest,
  ReadRequest,
  StatesRequest,
  UndoRequest,
  WalkRequest,
} from './undo-requests.ts';
import { walkTree } from './walk-tree.ts';
import { removeLeftovers } from './write-exactly.ts';

/** More changes than these go to the store as one content. */
const INLINE_CHANGES = 30;
/** A killed program's commands end a moment after it. */
const GRACE_MS = 1000;

export class UndoWorker {
  private readonly options: OpenRequest;
  private readonly store: ContentStore;
  private readonly room: BoundedStore;
  private readonly manifests: ManifestFiles;
  private readonly exclude: ReadonlySet<string>;
  private readonly onProgress: (entries: number) => void;
  private readonly hasLocalTimes: boolean;
  private readonly parent = process.ppid;
  /** The last walk of this process: when it began, and the offset of the clocks at that moment. */
  private lastWalk: { at: number; offset: number } | undefined;

  constructor(options: OpenRequest, onProgress: (entries: number) => void) {
    this.options = options;
    this.onProgress = onProgress;
    makeDirectory(options.store);
    this.store = new ContentStore(options.store);
    this.room = new BoundedStore(this.store, options.store, options.budget);
    this.manifests = new ManifestFiles(options.store);
    process.chdir(options.root);
    this.hasLocalTimes = hasLocalTimes('.');
    const root = realpathSync('.');
    const inside = [options.store, ...options.exclude].flatMap((path) => {
      const within = existsSync(path) ? relative(root, realpathSync(path)) : '..';
      return within === '' || within.startsWith('..') ? [] : [fromText(within)];
    });
    this.exclude = new Set(inside);
  }

  answer(request: UndoRequest): Answers[keyof Answers] | Promise<Answers['apply']> {
    switch (request.do) {
      case 'open':
        return this.opened();
      case 'walk':
        return this.walk(request);
      case 'noted':
        this.manifests.letGo(this.options.sessionId);
        return {};
      case 'states':
        return this.states(request);
      case 'children':
        return request.paths.map((path) => namesIn(fromStoredPath(path)).map(toStoredPath));
      case 'has':
        return { known: request.contents.filter((content) => this.contentOf(content, request.files[content])) };
      case 'read':
        return this.read(request);
      case 'list':
        return this.list(request);
      case 'apply':
        return this.apply(request);
      case 'keep':
        return { list: this.room.keepList(toChanges(request.changes)) };
      case 'put':
        return { content: this.putNow(Buffer.from(request.bytes, 'base64')) };
      case 'collect':
        return this.collect(request);
    }
  }

  close(): void {
    this.manifests.noteEnd(this.options.sessionId);
    this.store.close();
  }

  private opened(): Answers['open'] {
    const newest = this.manifests.newest();
    const hasManifest = this.manifests.has(this.options.sessionId);
    return { hasManifest, ...(newest !== undefined && { manifestOf: newest }) };
  }

  private putNow(bytes: Buffer): string {
    const content = this.store.put(bytes);
    this.store.flush();
    return content;
  }

  private walk(request: WalkRequest): Answers['walk'] {
    const { since, isTrial = false } = request;
    const { sessionId } = this.options;
    this.room.begin();
    const from = since ?? (this.manifests.has(sessionId) ? sessionId : this.manifests.newest());
    const previous = this.previous(from, request.isCutOff);
    const own = this.manifests.pathOf(sessionId);
    const trial = `${own}.trial`;
    const evidence = from === undefined ? undefined : this.evidence(request, from);
    // A repair that is cut off is repeated from the same manifest.
    if (!isTrial && !(request.isCutOff && this.manifests.isHeld(sessionId))) this.manifests.hold(sessionId);
    const began = { at: Date.now(), offset: clockOffset() };
    const result = walkTree({
      previous,
      next: isTrial ? trial : own,
      moment: fileMoment(this.options.store, began.at),
      keep: (bytes) => this.room.keep(bytes),
      store: this.store,
      limits: this.options.limits,
      exclude: this.exclude,
      onProgress: this.onProgress,
      evidence,
      // Another process may have left other folders out.
      areListsKnown: this.hasLocalTimes && this.lastWalk !== undefined && from === sessionId && !request.isCutOff,
    });
    if (isTrial) rmSync(trial, { force: true });
    else this.lastWalk = began;
    this.room.flush();
    const { changes, entries, bytes, isCompared } = result;
    const unkept = [...result.unkept].map(([reason, noted]) => ({
      reason,
      count: noted.count,
      paths: [...noted.paths].map(([path, size]) => ({ path: toText(path), bytes: size })),
    }));
    const { missed, isNearlyFull } = this.room;
    if (missed > 0) unkept.push({ reason: 'full', count: missed, paths: [] });
    return {
      ...this.toSet(changes.call),
      ...(changes.other.length > 0 && { others: this.toSet(changes.other) }),
      ...(changes.unclear.length > 0 && { unclear: this.toSet(changes.unclear) }),
      ...{ entries, bytes, unkept, isCompared, hasEvidence: this.hasLocalTimes },
      isNearlyFull,
      ...(from !== undefined && { since: from }),
    };
  }

  /** The manifest to compare with; after a kill that of the last walk whose changes are on record. */
  private previous(from: string | undefined, isCutOff = false): string | undefined {
    if (from === undefined) return undefined;
    return isCutOff ? this.manifests.recordedOf(from) : this.manifests.pathOf(from);
  }

  private toSet(changes: readonly TreeChange[]): ChangeSet {
    const count = changes.length;
    const first = changes.slice(0, INLINE_CHANGES).map(toStoredChange);
    return { count, changes: first, ...(count > INLINE_CHANGES && { list: this.room.keepList(changes) }) };
  }

  /** Undefined where the times of files prove nothing. */
  private evidence({ calls, isCutOff }: WalkRequest, from: string): ChangeEvidence | undefined {
    if (!calls || !this.hasLocalTimes) return undefined;
    if (isCutOff) {
      const end = this.manifests.endedBy(from, calls.from);
      const to = end === undefined ? undefined : end + GRACE_MS;
      return new ChangeEvidence({ from: calls.from, to }, this.manifests.walkedAt(from));
    }
    const { lastWalk } = this;
    if (lastWalk && !isSteady(lastWalk.offset, clockOffset())) return undefined;
    return new ChangeEvidence(calls, lastWalk?.at ?? this.manifests.walkedAt(from));
  }

  private states({ paths }: StatesRequest): Answers['states'] {
    const { fileBytes } = this.options.limits;
    const states = paths.map((stored) => {
      const path = fromStoredPath(stored);
      return toStoredChange({ path, before: null, after: stateAt(path, hashOf, fileBytes).state });
    });
    releaseFolder();
    return states;
  }

  private read({ content, file, path }: ReadRequest): Answers['read'] {
    const bytes = this.contentOf(content, file) ?? (path === undefined ? undefined : this.presentAt(path, content));
    return bytes ? { bytes: bytes.toString('base64') } : {};
  }

  /** The content of a file, if that is the one asked for. */
  private presentAt(path: StoredPath, content: string): Buffer | undefined {
    let found: Buffer | undefined;
    const take = (bytes: Buffer) => {
      const hash = hashOf(bytes);
      if (hash === content) found = Buffer.from(bytes);
      return hash;
    };
    stateAt(fromStoredPath(path), take, this.options.limits.fileBytes);
    releaseFolder();
    return found;
  }

  private list({ list }: ListRequest): Answers['list'] {
    let bytes = this.store.get(list);
    if (!bytes) {
      // Another session may have kept it since.
      this.store.refresh();
      bytes = this.store.get(list);
    }
    if (!bytes) return {};
    const lines = bytes.toString('utf8').split('\n');
    return { changes: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as StoredChange) };
  }

  private async apply({ changes: stored, files }: ApplyRequest): Promise<Answers['apply']> {
    this.room.begin();
    const changes = toChanges(stored);
    removeLeftovers(changes);
    const inodes = new Set(changes.flatMap(({ after }) => (after?.kind === 'file' ? (after.inode ?? []) : [])));
    const applied = applyChanges({
      changes,
      read: (content) => this.contentOf(content, files[content]),
      keep: (bytes) => this.room.keep(bytes),
      fileBytes: this.options.limits.fileBytes,
      shared: this.findShared(inodes),
      // It has another parent then.
      isAbandoned: () => process.ppid !== this.parent,
    });
    // What was there before is needed by a redo, also of an undo that was cut off.
    const result = await applied.finally(() => this.room.flush());
    return {
      done: result.done.map(toStoredPath),
      skipped: result.skipped.map((each) => ({ ...each, path: toStoredPath(each.path) })),
      isVerified: result.isVerified,
      isDiskFull: result.isDiskFull,
    };
  }

  private collect({ points, sessions }: CollectRequest): Answers['collect'] {
    this.store.refresh();
    const newest = this.manifests.newest();
    this.manifests.keepOnly(new Set([...(newest === undefined ? [] : [newest]), ...sessions]));
    const { store } = this;
    return collectGarbage({ store, points, manifests: this.manifests.all(), storeBytes: this.room.limit });
  }

  /** Names files by inode, for those that several names shared. */
  private findShared(inodes: ReadonlySet<number>): Map<number, string> {
    const shared = new Map<number, string>();
    const { sessionId } = this.options;
    if (inodes.size === 0 || !this.manifests.has(sessionId)) return shared;
    const reader = new ManifestReader(this.manifests.pathOf(sessionId));
    try {
      for (let entry = reader.next(); entry; entry = reader.next())
        if (inodes.has(entry.inode) && lstatOf(entry.path)?.ino === entry.inode) shared.set(entry.inode, entry.path);
    } finally {
      reader.close();
    }
    return shared;
  }

  private contentOf(content: string, file: string | undefined): Buffer | undefined {
    const kept = this.store.get(content);
    if (kept || file === undefined) return kept;
    try {
      const bytes = readCopy(file);
      if (!bytes) return undefined;
      return hashOf(bytes) === content ? bytes : undefined;
    } catch {
      // Removed with its session, for example.
      return undefined;
    }
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(toSystemPath(path), { encoding: 'latin1' });
  } catch {
    // Gone or unreadable: it is compared again when it is removed.
    return [];
  }
}

function toChanges(stored: readonly StoredChange[]): TreeChange[] {
  return stored.flatMap((each) => fromStoredChange(each) ?? []);
}
