/**
 * One walk over the workspace: compares it with the manifest of the last walk, keeps every new content, writes the next
 * manifest, and returns what changed. It changes nothing in the workspace, and stays on its file system.
 */

import { readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { comparePaths, nameOf, toSystemPath } from './byte-path.ts';
import type { Arrival, ChangeEvidence, Maker } from './change-evidence.ts';
import type { ContentStore } from './content-store.ts';
import { ManifestReader, ManifestWriter } from './manifest.ts';
import type { ManifestEntry, StoredEntry } from './manifest.ts';
import { OldFolders } from './old-folders.ts';
import { lookAt, lstatOf, modeOf, readLink, readFile } from './read-state.ts';
import type { Keep } from './read-state.ts';
import { UNKNOWN, isSameState, unkeptContent, unkeptReason } from './tree-state.ts';
import type { FileState, TreeChange, TreeState, Unkept } from './tree-state.ts';
import { Allowance, isOwnTemporary, isRebuildable, rebuildableFolder } from './walk-rules.ts';
import type { WalkLimits } from './walk-rules.ts';

export interface WalkOptions {
  /** The manifest of the last walk; a missing or damaged one counts as none. */
  readonly previous?: string | undefined;
  /** The manifest to write. */
  readonly next: string;
  /** When the walk begins, by the clock of files. */
  readonly moment: number;
  readonly keep: Keep;
  readonly store: Pick<ContentStore, 'has' | 'hasBytes'>;
  readonly limits: WalkLimits;
  /** Folders, relative to the workspace, that are not part of it. */
  readonly exclude: ReadonlySet<string>;
  readonly onProgress?: ((entries: number) => void) | undefined;
  /** Tells what the calls since the last walk cannot have made; without it everything counts as theirs. */
  readonly evidence?: ChangeEvidence | undefined;
  /** A folder whose times are those of the last walk has the same names: it is not listed again. */
  readonly areListsKnown?: boolean | undefined;
}

export interface WalkResult {
  /** By who made them. */
  readonly changes: Readonly<Record<Maker, TreeChange[]>>;
  readonly entries: number;
  readonly bytes: number;
  /** What is not kept, by reason: how many, and the first paths or folders. */
  readonly unkept: ReadonlyMap<Unkept, Noted>;
  /** Whether there was a manifest to compare with. */
  readonly isCompared: boolean;
}

/** What is not kept for one reason. */
export interface Noted {
  count: number;
  /** The first of them, a rebuildable folder for its files, with their bytes. */
  readonly paths: Map<string, number>;
}

/** What is known about the folder of an entry. */
interface Above {
  readonly isRebuilt: boolean;
  readonly arrival: Arrival;
  /** The last walk could not read it: what is not in its manifest may have been there. */
  readonly wasClosed: boolean;
}

const ROOT: Above = { isRebuilt: false, arrival: 'known', wasClosed: false };
/** Kernels before 6.13 give the same time to all that happens in a tick. */
const TICK_MS = 20;
const PROGRESS_EVERY = 1000;
const NAMED_PATHS = 100;

/** Expects the workspace as the current folder. Throws TooLarge, and file-system errors of the store. */
export function walkTree(options: WalkOptions): WalkResult {
  const writer = new ManifestWriter(options.next);
  const walk = new Walk(options, writer);
  try {
    const result = walk.run();
    writer.finish();
    return result;
  } catch (error) {
    try {
      writer.discard();
    } catch {
      // Closed by a failed finish.
    }
    throw error;
  } finally {
    walk.close();
  }
}

class Walk {
  private readonly options: WalkOptions;
  private readonly writer: ManifestWriter;
  private readonly allowance: Allowance;
  private readonly changes: WalkResult['changes'] = { call: [], other: [], unclear: [] };
  private readonly unkept = new Map<Unkept, Noted>();
  private reader: ManifestReader | undefined;
  private old: StoredEntry | undefined;
  /** Whether the last manifest ended before its end. */
  private isCut = false;
  private readonly oldFolders = new OldFolders();
  private device = 0;

  constructor(options: WalkOptions, writer: ManifestWriter) {
    this.options = options;
    this.writer = writer;
    this.allowance = new Allowance(options.limits);
  }

  run(): WalkResult {
    this.open();
    const isCompared = this.reader !== undefined;
    this.device = lookAt('.')?.dev ?? 0;
    this.listed('', this.names(''), ROOT);
    while (this.old) this.gone();
    const { changes, unkept } = this;
    return { changes, unkept, isCompared, ...pick(this.allowance) };
  }

  close(): void {
    this.reader?.close();
  }

  private open(): void {
    if (this.options.previous === undefined) return;
    try {
      this.reader = new ManifestReader(this.options.previous);
      this.old = this.reader.next();
    } catch {
      // The walk then compares with nothing.
      this.close();
      this.reader = undefined;
      this.old = undefined;
    }
  }

  /** Undefined for a folder that cannot be read or entered. */
  private names(path: string): string[] | undefined {
    try {
      // By bytes: the strings hold one byte per character.
      const names = readdirSync(path === '' ? '.' : toSystemPath(path), { encoding: 'latin1' }).sort();
      // With the right to list and not to enter, every name is known and none can be looked up.
      if (names.length > 0) lstatOf(below(path, names[0]!));
      return names;
    } catch {
      return undefined;
    }
  }

  private listed(path: string, names: readonly string[] | undefined, above: Above): void {
    if (!names) return this.leave(path);
    for (const name of names) {
      const child = below(path, name);
      if (this.options.exclude.has(child) || isOwnTemporary(name)) continue;
      const found = lookAt(child);
      // Closed since its names were read.
      if (found === undefined) return this.leave(path);
      if (found) this.entry(child, found, above);
    }
  }

  /** A folder with the names of the last walk. */
  private known(path: string, above: Above): void {
    const start = `${path}/`;
    let last = '';
    while (this.old?.path.startsWith(start)) {
      const child = this.old.path;
      const found = child.includes('/', start.length) ? null : lookAt(child);
      if (found === undefined) return this.leave(path);
      // Gone at this moment, or below a folder that is.
      if (!found) this.gone();
      else this.entry(child, found, above);
      last = nameOf(child);
    }
    if (!this.isCut) return;
    const rest = this.names(path)?.filter((name) => name > last);
    this.listed(path, rest, above);
  }

  private entry(path: string, found: Stats, above: Above): void {
    this.allowance.count();
    if (this.allowance.entries % PROGRESS_EVERY === 0) this.options.onProgress?.(this.allowance.entries);
    while (this.old && this.old.path !== path && comparePaths(this.old.path, path) < 0) this.gone();
    const old = this.old?.path === path ? this.old : undefined;
    const isFolder = found.isDirectory();
    const isForeign = found.dev !== this.device;
    const isRebuilt = above.isRebuilt || (isFolder && isRebuildable(nameOf(path)));
    const isFile = !isForeign && found.isFile();
    const refused = isFile ? this.allowance.refuse(found.size, isRebuilt) : undefined;
    const isRacy = found.ctimeMs >= this.options.moment - TICK_MS;
    if (isFile && !refused && !isRacy && old && this.isKept(old, found)) {
      this.writer.copy(old);
      this.advance();
      return;
    }
    const state = isForeign ? ({ kind: 'other' } as const) : this.state(path, found, old, refused);
    if (!state) {
      // Gone since its folder was read.
      if (!old) return;
      this.lost(old);
      this.advance();
      return;
    }
    const isListKnown =
      this.options.areListsKnown === true && !isRacy && old?.kind === 'folder' && old.isUntouched(found);
    const names = isFolder && !isForeign && !isListKnown ? this.names(path) : [];
    const { size, mtimeMs: modifiedAt, ctimeMs: changedAt, ino: inode } = found;
    // A folder that could not be read is read again.
    this.writer.add({ path, state, size, modifiedAt, changedAt, inode, isRacy, isClosed: !names });
    // A number may have been used again for another file.
    const isKnown = old?.inode === inode && old.kind === state.kind && old.changedAt >= found.birthtimeMs;
    const { evidence } = this.options;
    const before = old?.state ?? (above.wasClosed ? UNKNOWN : null);
    if (this.reader && !isSameState(before, state)) {
      const maker = evidence?.ofPresent(found, { isKnown, isFolder, parent: above.arrival });
      this.change({ path, before, after: state }, maker);
    }
    const wasClosed = above.wasClosed || old?.isClosed === true;
    if (old) this.advance();
    if (!isFolder || isForeign) return;
    const arrival = isKnown ? 'known' : (evidence?.arrivalOf(found, above.arrival) ?? 'call');
    if (isListKnown) this.known(path, { isRebuilt, arrival, wasClosed });
    else this.listed(path, names, { isRebuilt, arrival, wasClosed });
  }

  /** Whether a file is, by all its signs, the one that the last walk read, and its content is in the store. */
  private isKept(old: StoredEntry, found: Stats): boolean {
    const { hashAt } = old;
    const isSame = hashAt !== undefined && old.isUntouched(found) && old.isSameFile(found);
    return isSame && this.options.store.hasBytes(old.view, hashAt);
  }

  private state(path: string, found: Stats, old: StoredEntry | undefined, refused: Unkept | undefined): TreeState {
    if (found.isDirectory()) return { kind: 'folder', mode: modeOf(found) };
    if (found.isSymbolicLink()) return readLink(path);
    if (!found.isFile()) return { kind: 'other' };
    if (refused !== undefined) {
      this.note(refused, path, found.size);
      return { ...fileOf(found), content: unkeptContent(refused, found.size, found.mtimeMs) };
    }
    if (old?.hashAt !== undefined && old.isUntouched(found)) {
      const { content } = old.state as FileState;
      if (this.options.store.has(content)) return { ...fileOf(found), content };
    }
    const state = readFile(path, found, this.options.keep, this.options.limits.fileBytes);
    const reason = state ? unkeptReason(state.content) : undefined;
    if (reason !== undefined) this.note(reason, path, found.size);
    return state;
  }

  private change(change: TreeChange, maker: Maker = 'call'): void {
    this.changes[maker].push(change);
  }

  private gone(): void {
    const old = this.old!;
    const isExcluded = [...this.options.exclude].some((each) => old.path === each || old.path.startsWith(`${each}/`));
    if (!isExcluded) this.lost(old);
    this.advance();
  }

  private lost({ path, state }: ManifestEntry): void {
    this.change({ path, before: state, after: null }, this.options.evidence?.ofGone(this.oldFolders.keptAbove(path)));
  }

  /** Of a folder that cannot be read or entered now, the manifest keeps what it knows: unknown is not the same as deleted. */
  private leave(path: string): void {
    if (path !== '') this.note('unreadable', path);
    while (this.old && (path === '' || this.old.path.startsWith(`${path}/`))) {
      this.writer.copy(this.old);
      this.advance();
    }
  }

  private advance(): void {
    if (this.old?.kind === 'folder') this.oldFolders.enter(this.old);
    try {
      this.old = this.reader?.next();
    } catch {
      // A damaged end: what it would have held counts as new, and belongs to no call.
      this.old = undefined;
      this.isCut = true;
    }
  }

  private note(reason: Unkept, path: string, bytes = 0): void {
    const noted = this.unkept.get(reason) ?? { count: 0, paths: new Map<string, number>() };
    this.unkept.set(reason, noted);
    noted.count += 1;
    const named = (reason === 'rebuildable' ? rebuildableFolder(path) : undefined) ?? path;
    const known = noted.paths.get(named);
    if (known !== undefined || noted.paths.size < NAMED_PATHS) noted.paths.set(named, (known ?? 0) + bytes);
  }
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function fileOf(found: Stats): Omit<FileState, 'content'> {
  const state = { kind: 'file', mode: modeOf(found), size: found.size } as const;
  return found.nlink > 1 ? { ...state, inode: found.ino } : state;
}

function pick({ entries, bytes }: Allowance): { entries: number; bytes: number } {
  return { entries, bytes };
}
