/**
 * ContentStore: keeps contents by their SHA-256 in segments of compressed, sealed blocks, each content once, readable by the owner
 * only. It appends to a segment of its own, so that two programs may store at the same time, and finds what all of them
 * stored. A content that does not match its name counts as missing.
 */

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { Seal } from '../util/sealed-bytes.ts';
import { ContentIndex } from './content-index.ts';
import { packBlock, readBlock, readHead, readHeads } from './segment.ts';
import type { Placed } from './segment.ts';

const BLOCK_BYTES = 1024 * 1024;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const SEGMENT_NAME = /^[0-9a-z]+-\d+-\d+\.seg$/;
const CACHED_BLOCKS = 4;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** Its list of contents is read again when it is needed: kept, it would cost more memory than all else. */
interface Location {
  readonly segment: Segment;
  readonly offset: number;
}

export interface Segment {
  readonly name: string;
  readonly path: string;
  file: number | undefined;
  size: number;
}

/** Looked up once: to find a module of Node takes as long as to hash a small file. */
let digest: (typeof builtin.crypto)['hash'] | undefined;

export function hashOf(bytes: Uint8Array): string {
  digest ??= builtin.crypto.hash;
  return digest('sha256', bytes, 'hex');
}

export class ContentStore {
  readonly segments = new Map<string, Segment>();
  private readonly folder: string;
  private readonly seal: Seal;
  private readonly index = new ContentIndex();
  private readonly blocks: Location[] = [];
  /** The contents that are not on the disk yet, one after the other, and their places. */
  private pending = Buffer.allocUnsafe(BLOCK_BYTES);
  private pendingBytes = 0;
  private readonly places = new Map<string, Placed>();
  private own: { segment: Segment; file: number; size: number } | undefined;
  private readonly cache = new Map<Location, CachedBlock>();
  private count = 0;

  /** Throws for a folder that is a link: it may lead into another user's. */
  constructor(folder: string) {
    this.folder = join(folder, 'segments');
    this.seal = new Seal(folder);
    makeDirectory(this.folder);
    for (const path of [folder, this.folder])
      if (!lstatSync(path).isDirectory()) throw new Error(`${path} is a link or a file where a folder is expected.`);
    this.refresh();
  }

  /** Finds the segments that other processes wrote since, and forgets those that they removed. */
  refresh(): void {
    const names = readdirSync(this.folder);
    for (const segment of [...this.segments.values()]) if (!names.includes(segment.name)) this.forget(segment);
    for (const name of names.filter((each) => SEGMENT_NAME.test(each)).toSorted()) {
      const known = this.segments.get(name);
      if (known === this.own?.segment && known) continue;
      this.scan(known ?? { name, path: join(this.folder, name), file: undefined, size: 0 });
    }
  }

  /** The bytes of all segments. */
  get size(): number {
    return [...this.segments.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** How many contents are on the disk, at most. */
  get contentCount(): number {
    return this.index.count;
  }

  has(hash: string): boolean {
    return this.places.has(hash) || this.index.has(hash);
  }

  /** Whether it is on the disk. `at`: where the bytes of the hash are. */
  hasBytes(view: DataView, at: number): boolean {
    return this.index.hasBytes(view, at);
  }

  /** Keeps the content; it is on the disk after `flush`. Throws file-system errors. */
  put(bytes: Buffer, hash = hashOf(bytes)): string {
    if (!this.has(hash)) this.putNew(bytes, hash);
    return hash;
  }

  /** The same for a content that `has` does not know. */
  putNew(bytes: Buffer, hash: string): void {
    if (this.pendingBytes + bytes.length > BLOCK_BYTES) this.flush({ isSynced: false });
    if (bytes.length > this.pending.length) this.pending = Buffer.allocUnsafe(bytes.length);
    this.places.set(hash, { hash, offset: this.pendingBytes, length: bytes.length });
    this.pending.set(bytes, this.pendingBytes);
    this.pendingBytes += bytes.length;
  }

  /** Undefined when the content is missing or damaged. */
  get(hash: string): Buffer | undefined {
    const pending = this.places.get(hash);
    if (pending) return Buffer.from(this.pending.subarray(pending.offset, pending.offset + pending.length));
    const number = this.index.get(hash);
    const location = number === undefined ? undefined : this.blocks[number];
    const block = location && this.block(location);
    const placed = block?.places.get(hash);
    if (!block || !placed) return undefined;
    const bytes = block.bytes.subarray(placed.offset, placed.offset + placed.length);
    return hashOf(bytes) === hash ? bytes : undefined;
  }

  /** Nothing of what is pending is kept when this throws. */
  flush({ isSynced = true } = {}): void {
    const places = [...this.places.values()];
    if (places.length > 0) {
      const raw = this.pending.subarray(0, this.pendingBytes);
      this.places.clear();
      this.pendingBytes = 0;
      this.append(packBlock(places, raw, this.seal), places);
      if (this.pending.length > BLOCK_BYTES) this.pending = Buffer.allocUnsafe(BLOCK_BYTES);
    }
    if (isSynced && this.own) fdatasyncSync(this.own.file);
  }

  /** The contents of a segment by hash, with their compressed size estimated from their block's. */
  *contentsOf(segment: Segment): Generator<{ hash: string; bytes: number; isSealed: boolean }> {
    if (segment.file === undefined) return;
    for (const head of readHeads(segment.file)) {
      const share = (head.end - head.offset) / Math.max(head.rawLength, 1);
      for (const { hash, length } of head.contents) yield { hash, bytes: length * share, isSealed: head.isSealed };
    }
  }

  /** Forgets a segment that is about to be removed; those of its contents that are still needed are stored again first. */
  remove(segment: Segment, isNeeded: (hash: string) => boolean): void {
    if (segment === this.own?.segment) {
      closeSync(this.own.file);
      this.own = undefined;
    }
    for (const { hash } of this.contentsOf(segment)) {
      const location = this.blocks[this.index.get(hash) ?? -1];
      if (location?.segment !== segment) continue;
      const bytes = isNeeded(hash) ? this.get(hash) : undefined;
      this.index.delete(hash);
      if (bytes) this.put(bytes, hash);
    }
    this.flush();
    this.forget(segment);
  }

  private forget(segment: Segment): void {
    this.index.deleteWhere((number) => this.blocks[number]?.segment === segment);
    this.segments.delete(segment.name);
    if (segment === this.own?.segment) {
      closeSync(this.own.file);
      this.own = undefined;
    }
    if (segment.file !== undefined) closeSync(segment.file);
    segment.file = undefined;
  }

  close(): void {
    for (const segment of this.segments.values()) {
      if (segment.file !== undefined) closeSync(segment.file);
      segment.file = undefined;
    }
    if (this.own) closeSync(this.own.file);
    this.own = undefined;
  }

  private append(parts: readonly Buffer[], places: readonly Placed[]): void {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    const own = this.writable(bytes);
    const start = own.size;
    try {
      for (const part of parts) for (let done = 0; done < part.length;) done += writeSync(own.file, part, done);
    } catch (error) {
      // Nothing half-written stays behind, also where the disk is full.
      ftruncateSync(own.file, start);
      throw error;
    }
    own.size += bytes;
    const { segment } = own;
    if (this.open(segment) === undefined) return;
    segment.size = own.size;
    this.add(segment, start, places);
  }

  private writable(length: number): NonNullable<ContentStore['own']> {
    if (this.own && this.own.size + length <= SEGMENT_BYTES) return this.own;
    if (this.own) closeSync(this.own.file);
    this.own = undefined;
    const name = `${Date.now().toString(36)}-${process.pid}-${this.count++}.seg`;
    const path = join(this.folder, name);
    const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600);
    const segment: Segment = { name, path, file: undefined, size: 0 };
    this.own = { segment, file, size: 0 };
    return this.own;
  }

  /** Adds the blocks after those that are known. */
  private scan(segment: Segment): void {
    const file = this.open(segment);
    if (file === undefined || fstatSync(file).size === segment.size) return;
    for (const head of readHeads(file, segment.size)) {
      this.add(segment, head.offset, head.contents);
      segment.size = head.end;
    }
  }

  /** Undefined for a segment that was removed in the meantime, or is a planted link: it holds nothing. */
  private open(segment: Segment): number | undefined {
    try {
      segment.file ??= openSync(segment.path, O_RDONLY | O_NOFOLLOW);
    } catch {
      return undefined;
    }
    this.segments.set(segment.name, segment);
    return segment.file;
  }

  private add(segment: Segment, offset: number, contents: readonly Placed[]): void {
    const number = this.blocks.push({ segment, offset }) - 1;
    for (const { hash } of contents) this.index.set(hash, number);
  }

  private block(location: Location): CachedBlock | undefined {
    const cached = this.cache.get(location);
    if (cached) return cached;
    const { segment, offset } = location;
    if (segment.file === undefined) return undefined;
    const head = readHead(segment.file, offset, segment.size);
    const bytes = head && readBlock(segment.file, head, this.seal);
    if (!bytes) return undefined;
    const block = { bytes, places: new Map(head.contents.map((each) => [each.hash, each])) };
    this.cache.set(location, block);
    const [oldest] = this.cache.keys();
    if (this.cache.size > CACHED_BLOCKS && oldest) this.cache.delete(oldest);
    return block;
  }
}

interface CachedBlock {
  readonly bytes: Buffer;
  readonly places: ReadonlyMap<string, Placed>;
}
