/**
 * UndoWorker: what the process beside the program does for it: walks, keeps contents, tells states, restores, removes
 * what is no longer needed. One request after the other; nothing here waits.
 */

import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, statfsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { applyChanges } from './apply-changes.ts';
import { fromStoredPath, fromText, toStoredPath, toSystemPath, toText } from './byte-path.ts';
import { collectGarbage } from './collect-garbage.ts';
import { ContentStore, hashOf } from './content-store.ts';
import { ManifestReader } from './manifest.ts';
import { releaseFolder, stateAt } from './held-folder.ts';
import { lstatOf } from './read-state.ts';
import { fromStoredChange, toStoredChange } from './tree-state.ts';
import type { StoredChange, TreeChange } from './tree-state.ts';
import type {
  Answers,
  ApplyRequest,
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
/** The share of the limit at which old points make room. */
const NEARLY = 0.9;
/** Begins the name of a branch's manifest. */
const BRANCH = 'branch-';
const MANIFEST = /^([A-Za-z0-9_-]+)\.manifest$/;

export class UndoWorker {
  private readonly options: OpenRequest;
  private readonly store: ContentStore;
  private readonly manifests: string;
  private readonly exclude: ReadonlySet<string>;
  private readonly onProgress: (entries: number) => void;
  /** Why nothing more is kept, once the disk or the budget is full. */
  private isFull = false;
  /** Contents of this walk that could not be kept. */
  private missed = 0;

  constructor(options: OpenRequest, onProgress: (entries: number) => void) {
    this.options = options;
    this.onProgress = onProgress;
    makeDirectory(options.store);
    this.store = new ContentStore(options.store);
    this.manifests = join(options.store, 'manifests');
    makeDirectory(this.manifests);
    if (!lstatSync(this.manifests).isDirectory()) throw new Error(`${this.manifests} is not a folder.`);
    process.chdir(options.root);
    const root = realpathSync('.');
    const inside = [options.store, ...options.exclude].flatMap((path) => {
      const within = existsSync(path) ? relative(root, realpathSync(path)) : '..';
      return within === '' || within.startsWith('..') ? [] : [fromText(within)];
    });
    this.exclude = new Set(inside);
  }

  answer(request: UndoRequest): Answers[keyof Answers] {
    switch (request.do) {
      case 'open':
        return this.opened();
      case 'walk':
        return this.walk(request);
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
        return { list: this.keepList(toChanges(request.changes)) };
      case 'put':
        return { content: this.putNow(Buffer.from(request.bytes, 'base64')) };
      case 'collect':
        return this.collect(request);
    }
  }

  close(): void {
    this.store.close();
  }

  private opened(): Answers['open'] {
    const newest = this.newestManifest();
    return { hasManifest: existsSync(this.ownManifest), ...(newest !== undefined && { manifestOf: newest }) };
  }

  private putNow(bytes: Buffer): string {
    const content = this.store.put(bytes);
    this.store.flush();
    return content;
  }

  private walk({ since, isTrial = false }: WalkRequest): Answers['walk'] {
    this.store.refresh();
    this.isFull = !this.hasRoom();
    this.missed = 0;
    const from = since ?? (existsSync(this.ownManifest) ? this.options.sessionId : this.newestManifest());
    const previous = from === undefined ? undefined : this.manifestOf(from);
    const trial = `${this.ownManifest}.trial`;
    const result = walkTree({
      previous,
      next: isTrial ? trial : this.ownManifest,
      keep: (bytes) => this.keep(bytes),
      has: (content) => this.store.has(content),
      limits: this.options.limits,
      exclude: this.exclude,
      onProgress: this.onProgress,
    });
    rmSync(trial, { force: true });
    this.flush();
    const { changes, entries, bytes, isCompared } = result;
    const count = changes.length;
    const unkept = [...result.unkept].map(([reason, noted]) => ({
      reason,
      count: noted.count,
      paths: noted.paths.map(toText),
    }));
    if (this.missed > 0) unkept.push({ reason: 'full', count: this.missed, paths: [] });
    return {
      ...{ entries, bytes, count, unkept, isCompared },
      isNearlyFull: this.store.size > this.storeLimit() * NEARLY,
      changes: changes.slice(0, INLINE_CHANGES).map(toStoredChange),
      ...(count > INLINE_CHANGES && { list: this.keepList(changes) }),
      ...(from !== undefined && { since: from }),
    };
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

  private read({ content, file }: ReadRequest): Answers['read'] {
    const bytes = this.contentOf(content, file);
    return bytes ? { bytes: bytes.toString('base64') } : {};
  }

  private list({ list }: ListRequest): Answers['list'] {
    const bytes = this.store.get(list);
    if (!bytes) return {};
    const lines = bytes.toString('utf8').split('\n');
    return { changes: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as StoredChange) };
  }

  private apply({ changes: stored, files }: ApplyRequest): Answers['apply'] {
    this.store.refresh();
    this.isFull = !this.hasRoom();
    const changes = toChanges(stored);
    removeLeftovers(changes);
    const inodes = new Set(changes.flatMap(({ after }) => (after?.kind === 'file' ? (after.inode ?? []) : [])));
    const result = applyChanges({
      changes,
      read: (content) => this.contentOf(content, files[content]),
      keep: (bytes) => this.keep(bytes),
      fileBytes: this.options.limits.fileBytes,
      shared: this.findShared(inodes),
    });
    this.flush();
    return {
      done: result.done.map(toStoredPath),
      skipped: result.skipped.map((each) => ({ ...each, path: toStoredPath(each.path) })),
      isVerified: result.isVerified,
      isDiskFull: result.isDiskFull,
    };
  }

  private collect({ points, sessions }: CollectRequest): Answers['collect'] {
    this.store.refresh();
    const newest = this.newestManifest();
    const kept = new Set(
      [newest, ...sessions].flatMap((session) => (session === undefined ? [] : [this.manifestOf(session)])),
    );
    for (const path of this.manifestFiles()) if (!kept.has(path) && !isBranch(path)) rmSync(path, { force: true });
    const { store } = this;
    return collectGarbage({ store, points, manifests: this.manifestFiles(), storeBytes: this.storeLimit() });
  }

  /** Names files by inode, for those that several names shared. */
  private findShared(inodes: ReadonlySet<number>): Map<number, string> {
    const shared = new Map<number, string>();
    if (inodes.size === 0 || !existsSync(this.ownManifest)) return shared;
    const reader = new ManifestReader(this.ownManifest);
    try {
      for (let entry = reader.next(); entry; entry = reader.next())
        if (inodes.has(entry.inode) && lstatOf(entry.path)?.ino === entry.inode) shared.set(entry.inode, entry.path);
    } finally {
      reader.close();
    }
    return shared;
  }

  /** Returns the name of a content, also of one that could not be kept: it is then missing when it is needed. */
  private keep(bytes: Buffer): string {
    const hash = hashOf(bytes);
    if (this.store.has(hash)) return hash;
    try {
      if (!this.isFull) return this.store.put(bytes, hash);
    } catch {
      this.isFull = true;
    }
    this.missed += 1;
    return hash;
  }

  private keepList(changes: readonly TreeChange[]): string {
    const bytes = Buffer.from(changes.map((change) => `${JSON.stringify(toStoredChange(change))}\n`).join(''));
    const list = this.store.put(bytes);
    this.store.flush();
    return list;
  }

  private flush(): void {
    try {
      this.store.flush();
    } catch {
      // A manifest may now name contents that are not there: what is missing is told when it is needed.
      this.isFull = true;
      this.missed += 1;
    }
  }

  private contentOf(content: string, file: string | undefined): Buffer | undefined {
    const kept = this.store.get(content);
    if (kept || file === undefined) return kept;
    try {
      const bytes = readFileSync(file);
      return hashOf(bytes) === content ? bytes : undefined;
    } catch {
      // Removed with its session, for example.
      return undefined;
    }
  }

  private storeLimit(): number {
    const { storeBytes, shareOfFree } = this.options.budget;
    return Math.min(storeBytes, Math.max(shareOfFree * (this.freeBytes() + this.store.size), 0));
  }

  private hasRoom(): boolean {
    return this.freeBytes() >= this.options.budget.freeBytes && this.store.size < this.storeLimit();
  }

  private freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.options.store);
    return bavail * bsize;
  }

  private get ownManifest(): string {
    return this.manifestOf(this.options.sessionId);
  }

  private manifestOf(sessionId: string): string {
    return join(this.manifests, `${sessionId}.manifest`);
  }

  private manifestFiles(): string[] {
    return readdirSync(this.manifests)
      .filter((name) => MANIFEST.test(name))
      .map((name) => join(this.manifests, name));
  }

  /** The session that walked last. */
  private newestManifest(): string | undefined {
    const dated = this.manifestFiles()
      .filter((path) => !isBranch(path))
      .map((path) => ({ path, time: statSync(path).mtimeMs }));
    const [newest] = dated.toSorted((left, right) => right.time - left.time);
    return newest && MANIFEST.exec(newest.path.slice(this.manifests.length + 1))?.[1];
  }
}

/** The files of a branch as it began: what a merge compares with. */
function isBranch(path: string): boolean {
  return basename(path).startsWith(BRANCH);
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
