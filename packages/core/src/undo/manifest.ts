/**
 * The manifest: every path of the workspace as the last walk found it, in the order of the walk, in a binary file that is
 * read and written in pieces, so that memory does not grow with the workspace. A writer replaces the file only when it is
 * complete.
 */

import { closeSync, constants, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileState, TreeState } from './tree-state.ts';

/** What tells whether a file may have changed, without reading it. */
export interface FileSigns {
  readonly size: number;
  /** In milliseconds with fractions. */
  readonly modifiedAt: number;
  readonly changedAt: number;
  readonly inode: number;
}

export interface ManifestEntry extends FileSigns {
  readonly path: string;
  readonly state: NonNullable<TreeState>;
  /** The file changed so shortly before the walk that a later change may carry the same time. */
  readonly isRacy: boolean;
  /** A folder of which the walk could not read the names. */
  readonly isClosed: boolean;
}

const MAGIC = Buffer.from('castor-undo-manifest-1\n');
const END = 0;
const KINDS = ['end', 'file', 'folder', 'link', 'other'] as const;
const PIECE = 256 * 1024;
/** kind, flags, mode, four numbers, lengths of path and content. */
const HEAD = 1 + 1 + 4 + 8 * 4 + 2 + 2;
const RACY = 1;
const SEVERAL_NAMES = 2;
const HASHED = 4;
const CLOSED = 8;
const HASH_BYTES = 32;
const MOST_TEXT = 65_535;
const MODE_AT = 2;
const SIZE_AT = 6;
const MODIFIED_AT = 14;
const CHANGED_AT = 22;
const INODE_AT = 30;
const MODE_BITS = 0o7777;
const FILE = KINDS.indexOf('file');

export class ManifestWriter {
  private readonly path: string;
  private readonly temporary: string;
  private readonly file: number;
  private readonly piece = Buffer.allocUnsafe(PIECE);
  private readonly view = viewOf(this.piece);
  private used = 0;

  constructor(path: string) {
    this.path = path;
    this.temporary = `${path}.${process.pid}.tmp`;
    rmSync(this.temporary, { force: true });
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    this.file = openSync(this.temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    this.bytes(MAGIC);
  }

  add({ path, state, size, modifiedAt, changedAt, inode, isRacy, isClosed }: ManifestEntry): void {
    const text = state.kind === 'file' ? state.content : state.kind === 'link' ? state.target : '';
    const isHashed = state.kind === 'file' && !text.startsWith('~');
    const length = isHashed ? HASH_BYTES : text.length;
    if (path.length > MOST_TEXT || length > MOST_TEXT) return;
    const total = HEAD + path.length + length;
    if (this.used + total > PIECE) this.flush();
    const { piece, view, used: at } = this;
    piece[at] = KINDS.indexOf(state.kind);
    const hasNames = state.kind === 'file' && state.inode !== undefined;
    const known = (hasNames ? SEVERAL_NAMES : 0) | (isHashed ? HASHED : 0);
    piece[at + 1] = known | (isRacy ? RACY : 0) | (isClosed ? CLOSED : 0);
    view.setUint32(at + MODE_AT, 'mode' in state ? state.mode : 0, true);
    view.setFloat64(at + SIZE_AT, size, true);
    view.setFloat64(at + MODIFIED_AT, modifiedAt, true);
    view.setFloat64(at + CHANGED_AT, changedAt, true);
    view.setFloat64(at + INODE_AT, inode, true);
    view.setUint16(at + HEAD - 4, path.length, true);
    view.setUint16(at + HEAD - 2, length, true);
    piece.write(path, at + HEAD, 'latin1');
    piece.write(text, at + HEAD + path.length, isHashed ? 'hex' : 'latin1');
    this.used += total;
  }

  /** Takes an entry over as it was read. */
  copy(entry: StoredEntry): void {
    const { piece, at, end } = entry;
    if (this.used + end - at > PIECE) this.flush();
    this.used += piece.copy(this.piece, this.used, at, end);
  }

  /** Puts the manifest in place. */
  finish(): void {
    try {
      this.bytes(Buffer.of(END));
      this.flush();
    } catch (error) {
      this.discard();
      throw error;
    }
    closeSync(this.file);
    renameSync(this.temporary, this.path);
  }

  discard(): void {
    closeSync(this.file);
    rmSync(this.temporary, { force: true });
  }

  private bytes(bytes: Buffer): void {
    if (this.used + bytes.length > PIECE) this.flush();
    this.used += bytes.copy(this.piece, this.used);
  }

  private flush(): void {
    let done = 0;
    while (done < this.used) done += writeSync(this.file, this.piece, done, this.used - done);
    this.used = 0;
  }
}

/**
 * An entry where it was read: a walk compares most of them and needs nothing else, so that its parts are made when they are
 * asked for. Valid until the next one is read.
 */
export class StoredEntry implements ManifestEntry {
  readonly path: string;
  readonly piece: Buffer;
  readonly view: DataView;
  readonly at: number;
  readonly end: number;

  constructor(piece: Buffer, view: DataView, at: number, pathLength: number, end: number) {
    this.piece = piece;
    this.view = view;
    this.at = at;
    this.end = end;
    this.path = piece.toString('latin1', at + HEAD, at + HEAD + pathLength);
  }

  get kind(): NonNullable<TreeState>['kind'] {
    return KINDS[this.piece[this.at]!] as NonNullable<TreeState>['kind'];
  }

  get size(): number {
    return this.view.getFloat64(this.at + SIZE_AT, true);
  }

  get modifiedAt(): number {
    return this.view.getFloat64(this.at + MODIFIED_AT, true);
  }

  get changedAt(): number {
    return this.view.getFloat64(this.at + CHANGED_AT, true);
  }

  get inode(): number {
    return this.view.getFloat64(this.at + INODE_AT, true);
  }

  get isRacy(): boolean {
    return (this.flags & RACY) !== 0;
  }

  get isClosed(): boolean {
    return (this.flags & CLOSED) !== 0;
  }

  get state(): NonNullable<TreeState> {
    const { kind, flags, size } = this;
    const isHashed = (flags & HASHED) !== 0;
    const text = this.piece.toString(isHashed ? 'hex' : 'latin1', this.textAt, this.end);
    const inode = (flags & SEVERAL_NAMES) !== 0 ? this.inode : undefined;
    return toState(kind, { mode: this.mode, size, text, inode });
  }

  /** Where the 32 bytes of the SHA-256 are, of a file whose content has one. */
  get hashAt(): number | undefined {
    return (this.flags & HASHED) === 0 ? undefined : this.textAt;
  }

  /** Whether a file or folder is, by all its signs, the one that the last walk saw, and was not changed since. */
  isUntouched(found: Stats): boolean {
    return (
      this.changedAt === found.ctimeMs &&
      this.modifiedAt === found.mtimeMs &&
      this.size === found.size &&
      this.inode === found.ino &&
      (this.flags & (RACY | CLOSED)) === 0
    );
  }

  /** Whether `add` would write the same bytes for an untouched file. */
  isSameFile({ mode, nlink }: Stats): boolean {
    const hasNames = (this.flags & SEVERAL_NAMES) !== 0;
    return this.piece[this.at] === FILE && this.mode === (mode & MODE_BITS) && hasNames === nlink > 1;
  }

  private get flags(): number {
    return this.piece[this.at + 1]!;
  }

  private get mode(): number {
    return this.view.getUint32(this.at + MODE_AT, true);
  }

  private get textAt(): number {
    return this.at + HEAD + this.view.getUint16(this.at + HEAD - 4, true);
  }
}

/** Reads one entry after the other. A file that is not a whole manifest throws. */
export class ManifestReader {
  private readonly file: number;
  private piece = Buffer.allocUnsafe(PIECE);
  private view = viewOf(this.piece);
  private at = 0;
  private filled = 0;
  private isOpen = true;

  constructor(path: string) {
    this.file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      this.need(MAGIC.length);
      if (this.piece.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) throw new Error('not a manifest');
      this.at = MAGIC.length;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  next(): StoredEntry | undefined {
    this.need(1);
    const kind = this.piece[this.at]!;
    if (kind >= KINDS.length) throw new Error('damaged manifest');
    if (kind === END) return undefined;
    this.need(HEAD);
    const lengths = this.at + HEAD - 4;
    const pathLength = this.view.getUint16(lengths, true);
    const length = HEAD + pathLength + this.view.getUint16(lengths + 2, true);
    this.need(length);
    const { piece, view, at } = this;
    this.at = at + length;
    return new StoredEntry(piece, view, at, pathLength, this.at);
  }

  close(): void {
    if (this.isOpen) closeSync(this.file);
    this.isOpen = false;
  }

  private need(count: number): void {
    if (this.filled - this.at >= count) return;
    const left = this.filled - this.at;
    const room = count > this.piece.length ? Buffer.allocUnsafe(count + PIECE) : this.piece;
    this.piece.copy(room, 0, this.at, this.filled);
    if (room !== this.piece) this.view = viewOf(room);
    this.piece = room;
    this.at = 0;
    this.filled = left;
    while (this.filled < count) {
      const read = readSync(this.file, this.piece, this.filled, this.piece.length - this.filled, null);
      if (read === 0) throw new Error('the manifest ends early');
      this.filled += read;
    }
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function toState(
  kind: NonNullable<TreeState>['kind'],
  { mode, size, text, inode }: { mode: number; size: number; text: string; inode: number | undefined },
): NonNullable<TreeState> {
  if (kind === 'folder') return { kind, mode };
  if (kind === 'link') return { kind, target: text };
  if (kind === 'other') return { kind };
  const file: FileState = { kind, mode, content: text, size };
  return inode === undefined ? file : { ...file, inode };
}
