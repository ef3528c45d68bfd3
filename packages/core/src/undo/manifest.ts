/**
 * The manifest: every path of the workspace as the last walk found it, in the order of the walk, in a binary file that is
 * read and written in pieces, so that memory does not grow with the workspace. A writer replaces the file only when it is
 * complete.
 */

import { closeSync, constants, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
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
const HASH_BYTES = 32;
const MOST_TEXT = 65_535;

export class ManifestWriter {
  private readonly path: string;
  private readonly temporary: string;
  private readonly file: number;
  private readonly piece = Buffer.allocUnsafe(PIECE);
  private used = 0;

  constructor(path: string) {
    this.path = path;
    this.temporary = `${path}.${process.pid}.tmp`;
    rmSync(this.temporary, { force: true });
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    this.file = openSync(this.temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    this.bytes(MAGIC);
  }

  add({ path, state, size, modifiedAt, changedAt, inode, isRacy }: ManifestEntry): void {
    const text = state.kind === 'file' ? state.content : state.kind === 'link' ? state.target : '';
    const isHashed = state.kind === 'file' && !text.startsWith('~');
    const length = isHashed ? HASH_BYTES : text.length;
    if (path.length > MOST_TEXT || length > MOST_TEXT) return;
    const total = HEAD + path.length + length;
    if (this.used + total > PIECE) this.flush();
    const { piece } = this;
    let at = this.used;
    piece[at] = KINDS.indexOf(state.kind);
    const hasNames = state.kind === 'file' && state.inode !== undefined;
    piece[at + 1] = (isRacy ? RACY : 0) | (hasNames ? SEVERAL_NAMES : 0) | (isHashed ? HASHED : 0);
    at = piece.writeUInt32LE('mode' in state ? state.mode : 0, at + 2);
    for (const number of [size, modifiedAt, changedAt, inode]) at = piece.writeDoubleLE(number, at);
    at = piece.writeUInt16LE(path.length, at);
    at = piece.writeUInt16LE(length, at);
    at += piece.write(path, at, 'latin1');
    piece.write(text, at, isHashed ? 'hex' : 'latin1');
    this.used += total;
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

/** Reads one entry after the other. A file that is not a whole manifest throws. */
export class ManifestReader {
  private readonly file: number;
  private piece = Buffer.allocUnsafe(PIECE);
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

  next(): ManifestEntry | undefined {
    this.need(1);
    const kind = KINDS[this.piece[this.at]!];
    if (kind === undefined) throw new Error('damaged manifest');
    if (kind === 'end') return undefined;
    this.need(HEAD);
    const flags = this.piece[this.at + 1]!;
    const lengths = this.at + HEAD - 4;
    const pathLength = this.piece.readUInt16LE(lengths);
    const textLength = this.piece.readUInt16LE(lengths + 2);
    this.need(HEAD + pathLength + textLength);
    const { piece, at } = this;
    const mode = piece.readUInt32LE(at + 2);
    const size = piece.readDoubleLE(at + 6);
    const modifiedAt = piece.readDoubleLE(at + 14);
    const changedAt = piece.readDoubleLE(at + 22);
    const inode = piece.readDoubleLE(at + 30);
    const start = at + HEAD;
    const path = piece.toString('latin1', start, start + pathLength);
    const end = start + pathLength + textLength;
    const isHashed = (flags & HASHED) !== 0;
    const text = piece.toString(isHashed ? 'hex' : 'latin1', start + pathLength, end);
    this.at = end;
    const shared = (flags & SEVERAL_NAMES) !== 0 ? inode : undefined;
    const state = toState(kind, { mode, size, text, inode: shared });
    return { path, state, size, modifiedAt, changedAt, inode, isRacy: (flags & RACY) !== 0 };
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

function toState(
  kind: Exclude<(typeof KINDS)[number], 'end'>,
  { mode, size, text, inode }: { mode: number; size: number; text: string; inode: number | undefined },
): NonNullable<TreeState> {
  if (kind === 'folder') return { kind, mode };
  if (kind === 'link') return { kind, target: text };
  if (kind === 'other') return { kind };
  const file: FileState = { kind, mode, content: text, size };
  return inode === undefined ? file : { ...file, inode };
}
