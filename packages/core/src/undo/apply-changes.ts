/**
 * Brings paths of the workspace from the state they are in to the state they had: removes, creates, writes and links
 * exactly what it is given, and nothing else. Every path is compared again right before it is touched, and all of them
 * afterwards: that is "verified".
 */

import { comparePaths } from './byte-path.ts';
import { NoFolder, releaseFolder, stateAt } from './held-folder.ts';
import type { Keep } from './read-state.ts';
import { ReadyFiles } from './ready-files.ts';
import { AS_IT_IS, isSameState } from './tree-state.ts';
import type { FileState, TreeChange, TreeState } from './tree-state.ts';
import {
  makeFolder,
  makeLink,
  removeExactly,
  setFileMode,
  setFolderMode,
  shareFile,
  writeFile,
} from './write-exactly.ts';

export interface ApplyOptions {
  /** From the present state (`before`) to the wanted one (`after`). */
  readonly changes: readonly TreeChange[];
  readonly read: (content: string) => Buffer | undefined;
  /** Keeps the present content, for a redo. */
  readonly keep: Keep;
  readonly fileBytes: number;
  /** Paths of the workspace by the inode that several names share. */
  readonly shared: Map<number, string>;
  /** Whether the program that waits for the end is gone. */
  readonly isAbandoned: () => boolean;
}

export type SkipReason = 'changed' | 'not_empty' | 'content_missing' | 'failed' | 'no_folder';

export interface ApplyResult {
  readonly done: string[];
  readonly skipped: { path: string; reason: SkipReason; message?: string }[];
  /** Whether every path that was changed is now exactly as it was wanted. */
  readonly isVerified: boolean;
  readonly isDiskFull: boolean;
}

const NEW_FOLDER = 0o700;
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The program that asked was killed: the next one decides what happens to the rest. */
class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** Expects the workspace as the current folder. */
export async function applyChanges(options: ApplyOptions): Promise<ApplyResult> {
  releaseFolder();
  try {
    return await new Application(options).apply();
  } finally {
    releaseFolder();
  }
}

class Application {
  private readonly options: ApplyOptions;
  private readonly done = new Set<string>();
  private readonly skipped: ApplyResult['skipped'] = [];
  private isDiskFull = false;

  constructor(options: ApplyOptions) {
    this.options = options;
  }

  async apply(): Promise<ApplyResult> {
    const topDown = this.options.changes.toSorted((left, right) => comparePaths(left.path, right.path));
    const bottomUp = topDown.toReversed();
    const replaced = (change: TreeChange) => change.before !== null && change.before.kind !== change.after?.kind;
    const blocked = new Set<string>();
    for (const change of bottomUp.filter(replaced)) {
      if (!this.attempt(change, () => this.remove(change)) && change.after !== null) blocked.add(change.path);
    }
    const rest = topDown.filter(({ path, after }) => after !== null && !blocked.has(path));
    for (const change of rest) {
      if (change.after?.kind === 'folder' && change.before?.kind !== 'folder')
        this.attempt(change, () => this.create(change));
    }
    await this.fillAll(rest.filter(({ after }) => after?.kind !== 'folder'));
    releaseFolder();
    // Before folders have their modes: one may not let its owner in.
    let isVerified = topDown.every((change) => change.after?.kind === 'folder' || this.isAsWanted(change));
    for (const change of bottomUp) {
      const { path, after } = change;
      if (after?.kind !== 'folder' || (change.before?.kind !== 'folder' && !this.done.has(path))) continue;
      // Needs no room, and a folder with the mode it was made with would look changed to the next undo.
      this.attempt(change, () => this.setMode(change), { needsRoom: false });
      isVerified &&= this.isAsWanted(change);
    }
    const { skipped, isDiskFull } = this;
    return { done: [...this.done], skipped, isDiskFull, isVerified };
  }

  /** Whether it was done. A failure concerns one path; after a full disk nothing more is written. */
  private attempt({ path }: TreeChange, run: () => SkipReason | undefined, { needsRoom = true } = {}): boolean {
    if (this.isDiskFull && needsRoom) {
      this.skip(path, 'failed', 'The disk is full.');
      return false;
    }
    if (this.options.isAbandoned()) throw new Abandoned('The program that asked for this has ended.');
    try {
      const reason = run();
      if (reason === undefined) this.done.add(path);
      else this.skip(path, reason);
      return reason === undefined;
    } catch (error) {
      this.fail(path, error);
      return false;
    }
  }

  private fail(path: string, error: unknown): void {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (DISK_FULL.has(code)) this.isDiskFull = true;
    const isNotEmpty = code === 'ENOTEMPTY' || code === 'EEXIST';
    if (isNotEmpty) this.skip(path, 'not_empty');
    else if (error instanceof NoFolder) this.skip(path, 'no_folder');
    else this.skip(path, 'failed', message);
  }

  /**
   * New files are written first and then put in place together: a busy disk makes each of them wait, and a file system that has
   * just removed the replaced one is slow to make the next.
   */
  private async fillAll(changes: readonly TreeChange[]): Promise<void> {
    const batch = new ReadyFiles((path, error) => this.fail(path, error));
    for (const change of changes) {
      // Another name of a file may need one that is still to be put in place.
      const hasNames = change.after?.kind === 'file' && change.after.inode !== undefined;
      if (hasNames || batch.isFull) await batch.put();
      this.attempt(change, () => this.fill(change, batch));
    }
    await batch.put();
  }

  private skip(path: string, reason: SkipReason, message?: string): void {
    this.done.delete(path);
    this.skipped.push({ path, reason, ...(message !== undefined && { message }) });
  }

  private state(path: string): TreeState {
    return stateAt(path, this.options.keep, this.options.fileBytes).state;
  }

  private remove({ path, before, after }: TreeChange): SkipReason | undefined {
    const now = this.state(path);
    if (isSameState(now, after)) return undefined;
    if (now === null) return undefined;
    if (!isSameState(now, before)) return 'changed';
    removeExactly(path, now);
    if (now.kind === 'folder') releaseFolder();
    return undefined;
  }

  private create({ path, after }: TreeChange): SkipReason | undefined {
    const now = this.state(path);
    // One that a killed undo made has the mode it is created with.
    if (now?.kind === 'folder') return isSameState(now, after) || now.mode === NEW_FOLDER ? undefined : 'changed';
    if (now !== null) return 'changed';
    makeFolder(path);
    releaseFolder();
    return undefined;
  }

  private fill({ path, before, after }: TreeChange, batch: ReadyFiles): SkipReason | undefined {
    const { found, state: now } = stateAt(path, this.options.keep, this.options.fileBytes);
    if (isSameState(now, after)) return undefined;
    const isReplaced = before !== null && before.kind !== after?.kind;
    if (!isSameState(now, isReplaced ? null : before)) return 'changed';
    if (after?.kind === 'link') {
      makeLink(path, after.target);
      return undefined;
    }
    if (after?.kind !== 'file') return 'content_missing';
    if (now?.kind === 'file' && now.content === after.content) {
      setFileMode(path, after.mode);
      return undefined;
    }
    if (now === null && this.share(path, after)) return undefined;
    const bytes = this.options.read(after.content);
    if (!bytes) return 'content_missing';
    const ready = writeFile(path, after, bytes, found);
    if (ready && after.inode === undefined) batch.add(path, ready, bytes.length);
    // Other names of it follow: it must be there.
    else ready?.putNow();
    if (after.inode !== undefined) this.options.shared.set(after.inode, path);
    return undefined;
  }

  /** Whether the file became another name of one that exists, as it was before. */
  private share(path: string, after: FileState): boolean {
    const source = after.inode === undefined ? undefined : this.options.shared.get(after.inode);
    if (source === undefined || source === path || !isSameState(this.state(source), after)) return false;
    shareFile(path, source);
    return true;
  }

  private setMode({ path, before, after }: TreeChange): SkipReason | undefined {
    const now = this.state(path);
    if (isSameState(now, after)) return undefined;
    const isOwn = before?.kind !== 'folder' && now?.kind === 'folder';
    if (!isOwn && !isSameState(now, before)) return 'changed';
    if (after?.kind === 'folder' && after.mode !== AS_IT_IS) setFolderMode(path, after.mode);
    return undefined;
  }

  /** Also of what was left alone: it is no part of the result. */
  private isAsWanted({ path, after }: TreeChange): boolean {
    return !this.done.has(path) || isSameState(this.state(path), after);
  }
}
