/** Reads the entries of a zip file from its directory: stored or deflated, without encryption. */

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { NO_CONTENT } from './archive-entry.ts';
import { ExtensionError } from './extension-error.ts';

const END_MARK = 0x0605_4b50;
const DIRECTORY_MARK = 0x0201_4b50;
const LOCAL_MARK = 0x0403_4b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 65_535;
const LARGEST_DIRECTORY = 64 * 1024 * 1024;
const FILE_KIND = 0o170_000;
const KINDS: Readonly<Record<number, ArchiveEntry['kind']>> = {
  0: 'file',
  0o100_000: 'file',
  0o040_000: 'directory',
  0o120_000: 'link',
};
const LONGEST_TARGET = 4096;

interface Row {
  path: string;
  flags: number;
  method: number;
  packed: number;
  size: number;
  checksum: number;
  mode: number;
  offset: number;
}

/** `shown` names the file to the user. Throws an ExtensionError for a file that is not such an archive. */
export async function* readZip(file: string, shown = file): AsyncGenerator<ArchiveEntry, void> {
  const handle = await open(file);
  try {
    for (const row of await readDirectory(handle, shown)) yield await toEntry(row, handle, shown);
  } catch (error) {
    if (error instanceof ExtensionError) throw error;
    throw new ExtensionError(`${shown} is not a valid .zip archive: ${getErrorMessage(error)}`, { cause: error });
  } finally {
    await handle.close();
  }
}

async function readDirectory(handle: FileHandle, file: string): Promise<Row[]> {
  const { size } = await handle.stat();
  const tail = await readAt(
    handle,
    Math.max(0, size - END_LENGTH - LONGEST_COMMENT),
    Math.min(size, END_LENGTH + LONGEST_COMMENT),
  );
  let end = tail.length - END_LENGTH;
  while (end >= 0 && tail.readUInt32LE(end) !== END_MARK) end -= 1;
  if (end < 0) throw new ExtensionError(`${file} is not a .zip archive, or it is incomplete.`);
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (count === 0xffff || offset === 0xffff_ffff) {
    throw new ExtensionError(`${file} is a zip64 archive, which is not supported. Use .tar.gz.`);
  }
  if (length > LARGEST_DIRECTORY || offset + length > size) throw damaged(file);
  const bytes = await readAt(handle, offset, length);
  const rows: Row[] = [];
  for (let at = 0; at + 46 <= bytes.length && rows.length < count;) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_MARK) throw damaged(file);
    const nameLength = bytes.readUInt16LE(at + 28);
    const system = bytes.readUInt8(at + 5);
    rows.push({
      path: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      // Only Unix archives have modes.
      mode: system === 3 ? bytes.readUInt32LE(at + 38) >>> 16 : 0,
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (rows.length !== count) throw damaged(file);
  return rows;
}

async function toEntry(row: Row, handle: FileHandle, file: string): Promise<ArchiveEntry> {
  const { path, mode, flags, method } = row;
  const isProgram = (mode & 0o100) !== 0;
  const kind = path.endsWith('/') ? 'directory' : (KINDS[mode & FILE_KIND] ?? 'other');
  if (kind === 'directory') return { path, kind, isProgram, content: NO_CONTENT };
  if (kind === 'other') return { path, kind, what: 'a device or a pipe', isProgram, content: NO_CONTENT };
  if ((flags & 1) !== 0) throw new ExtensionError(`${file}: ${path} is encrypted, which is not supported.`);
  if (method !== 0 && method !== 8) {
    throw new ExtensionError(`${file}: ${path} uses the compression method ${method}, which is not supported.`);
  }
  const content = readContent(row, handle, file);
  if (kind === 'file') return { path, kind, isProgram, content };
  if (row.size > LONGEST_TARGET) throw damaged(file);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return { path, kind, isProgram, target: Buffer.concat(pieces).toString('utf8'), content: NO_CONTENT };
}

/** Stops at the size the directory states: a stream that yields more is damaged, or a bomb. */
async function* readContent(row: Row, handle: FileHandle, file: string): AsyncGenerator<Uint8Array, void> {
  const header = await readAt(handle, row.offset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_MARK) throw damaged(file);
  const start = row.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = readPacked(handle, start, row.packed, file);
  let size = 0;
  for await (const piece of row.method === 0 ? packed : inflate(packed)) {
    size += piece.length;
    if (size > row.size) throw new ExtensionError(`${file}: ${row.path} is larger than the archive states.`);
    yield piece;
  }
  if (size !== row.size) throw damaged(file);
}

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { Readable } = await import('node:stream');
  const source = Readable.from(packed);
  const unpacked = createInflateRaw();
  source.on('error', (error) => unpacked.destroy(error));
  try {
    for await (const piece of source.pipe(unpacked)) yield piece as Buffer;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

const CHUNK = 64 * 1024;

async function* readPacked(
  handle: FileHandle,
  start: number,
  length: number,
  file: string,
): AsyncGenerator<Uint8Array, void> {
  for (let done = 0; done < length;) {
    const piece = await readAt(handle, start + done, Math.min(CHUNK, length - done));
    if (piece.length === 0) throw damaged(file);
    done += piece.length;
    yield piece;
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function damaged(file: string): ExtensionError {
  return new ExtensionError(`${file} is damaged: its directory does not fit its content.`);
}
