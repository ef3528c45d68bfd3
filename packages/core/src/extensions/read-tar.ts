/** Reads the entries of a gzipped tar file: ustar with the extensions of pax and GNU for long names. */

import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { NO_CONTENT } from './archive-entry.ts';
import { ExtensionError } from './extension-error.ts';

const BLOCK = 512;
/** A pax header or a long name; a real one has a few hundred bytes. */
const LONGEST_HEADER = 64 * 1024;

const OTHERS: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a named pipe',
};

/** `shown` names the file to the user. Throws an ExtensionError for a file that is not such an archive or ends too early. */
export async function* readTar(file: string, shown = file): AsyncGenerator<ArchiveEntry, void> {
  const input = (await open(file)).createReadStream();
  const unpacked = createGunzip();
  input.on('error', (error) => unpacked.destroy(error));
  const bytes = new ByteReader(input.pipe(unpacked));
  try {
    yield* readEntries(bytes, shown);
  } catch (error) {
    if (error instanceof ExtensionError) throw error;
    throw new ExtensionError(`${shown} is not a valid .tar.gz archive: ${getErrorMessage(error)}`, { cause: error });
  } finally {
    input.destroy();
    unpacked.destroy();
  }
}

async function* readEntries(bytes: ByteReader, file: string): AsyncGenerator<ArchiveEntry, void> {
  let long: { path?: string; target?: string; size?: number } = {};
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!hasValidSum(header)) throw new ExtensionError(`${file} is damaged: a header has a wrong check sum.`);
    const kind = String.fromCharCode(header[156] ?? 0);
    const size = readSize(header.subarray(124, 136));
    if ('xgLK'.includes(kind)) {
      const text = await readText(bytes, size, file);
      if (kind === 'x') long = { ...long, ...readPax(text) };
      else if (kind === 'L') long = { ...long, path: text.replace(/\0.*$/s, '') };
      else if (kind === 'K') long = { ...long, target: text.replace(/\0.*$/s, '') };
      continue;
    }
    const entry = toEntry(header, kind, long);
    const length = long.size ?? size;
    const content = entry.kind === 'file' ? bytes.section(length) : NO_CONTENT;
    yield { ...entry, content };
    await bytes.finishSection();
    if (entry.kind !== 'file') await bytes.skip(length);
    await bytes.skip(padding(length));
    long = {};
  }
}

function toEntry(
  header: Uint8Array,
  kind: string,
  long: { path?: string; target?: string },
): Omit<ArchiveEntry, 'content'> {
  const prefix = readField(header, 345, 500);
  const name = readField(header, 0, 100);
  const path = long.path ?? (prefix === '' ? name : `${prefix}/${name}`);
  const isProgram = (readOctal(header.subarray(100, 108)) & 0o100) !== 0;
  if (kind === '5' || (kind !== '2' && path.endsWith('/'))) return { path, kind: 'directory', isProgram };
  if (kind === '2') return { path, kind: 'link', isProgram, target: long.target ?? readField(header, 157, 257) };
  if (kind === '0' || kind === '\0' || kind === '7') return { path, kind: 'file', isProgram };
  return {
    path,
    kind: 'other',
    what: OTHERS[kind] ?? `an entry of the unknown kind ${JSON.stringify(kind)}`,
    isProgram,
  };
}

async function readText(bytes: ByteReader, size: number, file: string): Promise<string> {
  if (size > LONGEST_HEADER) throw new ExtensionError(`${file} is damaged: a header has ${size} bytes.`);
  const text = Buffer.from(await bytes.take(size)).toString('utf8');
  await bytes.skip(padding(size));
  return text;
}

/** `<length> <key>=<value>\n`, repeated. */
function readPax(text: string): { path?: string; target?: string; size?: number } {
  const found: { path?: string; target?: string; size?: number } = {};
  for (const [, key, value = ''] of text.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)) {
    if (key === 'path') found.path = value;
    if (key === 'linkpath') found.target = value;
    if (key === 'size' && /^\d{1,15}$/.test(value)) found.size = Number(value);
  }
  return found;
}

function readField(header: Uint8Array, start: number, end: number): string {
  return Buffer.from(header.subarray(start, end)).toString('utf8').replace(/\0.*$/s, '');
}

function readOctal(field: Uint8Array): number {
  const text = Buffer.from(field).toString('latin1').replace(/\0.*$/s, '').trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : 0;
}

/** Octal digits or, for large files, a binary number marked by the first bit. */
function readSize(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) === 0) return readOctal(field);
  return field.subarray(4).reduce((sum, byte) => sum * 256 + byte, 0);
}

function hasValidSum(header: Uint8Array): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  return sum === readOctal(header.subarray(148, 156));
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** Takes exact amounts from a stream of chunks. */
class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Uint8Array = new Uint8Array(0);
  private left = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      const piece = await this.next(missing);
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0;) missing -= (await this.next(missing)).length;
  }

  section(length: number): AsyncIterable<Uint8Array> {
    this.left = length;
    return { [Symbol.asyncIterator]: () => this.readSection() };
  }

  async finishSection(): Promise<void> {
    await this.skip(this.left);
    this.left = 0;
  }

  private async *readSection(): AsyncGenerator<Uint8Array, void> {
    while (this.left > 0) {
      const piece = await this.next(this.left);
      this.left -= piece.length;
      yield piece;
    }
  }

  /** At least one byte, at most `limit`. */
  private async next(limit: number): Promise<Uint8Array> {
    if (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done === true) throw new ExtensionError('The archive ends too early: it is incomplete.');
      this.rest = value;
    }
    const piece = this.rest.subarray(0, limit);
    this.rest = this.rest.subarray(limit);
    return piece;
  }
}
