/**
 * The format of a segment: blocks of compressed contents one after the other, each with the list of what it holds and
 * checksums. A block that a killed process or a full disk cut off is told from a whole one; what follows it is ignored.
 */

import { fstatSync, readSync } from 'node:fs';
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Seal } from '../util/sealed-bytes.ts';

/** A content inside the uncompressed block. */
export interface Placed {
  /** 64 hex digits. */
  readonly hash: string;
  readonly offset: number;
  readonly length: number;
}

export interface BlockHead {
  readonly offset: number;
  readonly end: number;
  readonly rawLength: number;
  readonly isSealed: boolean;
  readonly contents: readonly Placed[];
}

/** The first form had plain data; it is still read. */
const PLAIN_MAGIC = 0x31_42_55_43;
const MAGIC = 0x32_42_55_43;
/** Magic, count of contents, raw length, packed length, checksum of the list, checksum of the data. */
const HEAD = 24;
const MAGICS: ReadonlySet<number> = new Set([PLAIN_MAGIC, MAGIC]);
const ROW = 40;
const HASH_BYTES = 32;
/** In hex digits: offset and length, which are filled in. */
const NO_PLACE = '0'.repeat(16);
const MOST_CONTENTS = 1_000_000;
const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** The parts of a block, to be written one after the other. */
export function packBlock(contents: readonly Placed[], raw: Buffer, seal: Seal): Buffer[] {
  const packed = seal.close(compress(raw));
  const rows = Buffer.from(contents.map(({ hash }) => hash + NO_PLACE).join(''), 'hex');
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let index = 0; index < contents.length; index++) {
    const { offset, length } = contents[index]!;
    view.setUint32(index * ROW + HASH_BYTES, offset, true);
    view.setUint32(index * ROW + HASH_BYTES + 4, length, true);
  }
  const head = Buffer.alloc(HEAD);
  for (const [index, number] of [
    MAGIC,
    contents.length,
    raw.length,
    packed.length,
    crc32(rows),
    crc32(packed),
  ].entries())
    head.writeUInt32LE(number, index * 4);
  return [head, rows, packed];
}

/** With the size known and room for the result, in one piece: that takes a quarter less time than a stream. */
function compress(raw: Buffer): Buffer {
  const { length } = raw;
  const chunkSize = Math.max(length + (length >> 8) + 1024, constants.Z_MIN_CHUNK);
  return zstdCompressSync(raw, { params: PARAMETERS, pledgedSrcSize: length, chunkSize });
}

/** The blocks of a segment that are whole by their size and list; the data is checked when it is read. */
export function* readHeads(file: number, from = 0): Generator<BlockHead> {
  const { size } = fstatSync(file);
  for (let offset = from; offset + HEAD <= size;) {
    const block = readHead(file, offset, size);
    if (!block) return;
    yield block;
    offset = block.end;
  }
}

/** Undefined where no whole block begins. */
export function readHead(file: number, offset: number, size: number): BlockHead | undefined {
  const head = readExactly(file, offset, HEAD);
  if (!head || !MAGICS.has(head.readUInt32LE(0))) return undefined;
  const count = head.readUInt32LE(4);
  const end = offset + HEAD + count * ROW + head.readUInt32LE(12);
  if (count > MOST_CONTENTS || end > size) return undefined;
  const rows = readExactly(file, offset + HEAD, count * ROW);
  if (!rows || crc32(rows) !== head.readUInt32LE(16)) return undefined;
  const contents = Array.from({ length: count }, (_, index) => ({
    hash: rows.toString('hex', index * ROW, index * ROW + HASH_BYTES),
    offset: rows.readUInt32LE(index * ROW + HASH_BYTES),
    length: rows.readUInt32LE(index * ROW + HASH_BYTES + 4),
  }));
  const isSealed = head.readUInt32LE(0) === MAGIC;
  return { offset, end, rawLength: head.readUInt32LE(8), isSealed, contents };
}

/** The uncompressed data; undefined when it is damaged. */
export function readBlock(
  file: number,
  { offset, end, contents, rawLength }: BlockHead,
  seal: Seal,
): Buffer | undefined {
  const start = offset + HEAD + contents.length * ROW;
  const head = readExactly(file, offset, HEAD);
  const packed = readExactly(file, start, end - start);
  if (!head || !packed || crc32(packed) !== head.readUInt32LE(20)) return undefined;
  try {
    const opened = head.readUInt32LE(0) === MAGIC ? seal.open(packed) : packed;
    if (!opened) return undefined;
    // In one piece, as it was compressed; with a byte to spare, so that no second one is needed to see the end.
    const chunkSize = Math.max(rawLength + 1, constants.Z_MIN_CHUNK);
    const raw = zstdDecompressSync(opened, { maxOutputLength: Math.max(rawLength, 1), chunkSize });
    return raw.length === rawLength ? raw : undefined;
  } catch {
    // Damaged in a way the checksum did not show.
    return undefined;
  }
}

function readExactly(file: number, offset: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, offset + done);
    if (read === 0) return undefined;
    done += read;
  }
  return bytes;
}
