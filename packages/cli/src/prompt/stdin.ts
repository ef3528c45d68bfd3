/** Reads piped input: only when stdin is not a terminal, with a short wait, and never more than a prompt can hold. */

import { fstatSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';

const FIRST_CHUNK_MS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

export interface PipedInput {
  text: string;
  /** The input was longer than the limit. */
  isCut: boolean;
}

export interface PipedInputOptions {
  firstChunkMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

/** The piped input of the process; empty for a terminal. */
export async function readStandardInput(signal: AbortSignal): Promise<PipedInput> {
  if (isatty(0) || isNullDevice(0)) return { text: '', isCut: false };
  return readPipedInput(process.stdin, { signal });
}

/** Opening stdin as a stream takes milliseconds, and most scripts pass the null device. */
function isNullDevice(descriptor: number): boolean {
  return process.platform !== 'win32' && fstatSync(descriptor).rdev === statSync('/dev/null').rdev;
}

/** Reads `stream` to its end, its limit or the abort, whichever is first, and then destroys it. */
export function readPipedInput(
  stream: NodeJS.ReadableStream & { destroy(): unknown },
  { firstChunkMs = FIRST_CHUNK_MS, maxBytes = MAX_BYTES, signal }: PipedInputOptions = {},
): Promise<PipedInput> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;

    const finish = (isCut: boolean) => {
      release();
      resolve({ text: Buffer.concat(chunks).toString('utf8'), isCut });
    };
    const onData = (chunk: Buffer) => {
      clearTimeout(timer);
      const room = maxBytes - bytes;
      if (chunk.length > room) {
        chunks.push(atCharacterBoundary(Buffer.concat([...chunks.splice(0), chunk.subarray(0, room)])));
        finish(true);
        return;
      }
      chunks.push(chunk);
      bytes += chunk.length;
    };
    const onEnd = () => finish(false);
    const onError = (error: NodeJS.ErrnoException) => {
      release();
      reject(error);
    };
    const release = () => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', onEnd).off('error', onError);
      signal?.removeEventListener('abort', onEnd);
      // The stream may still fail during its teardown; its result is no longer needed.
      stream.on('error', () => {});
      stream.destroy();
    };

    const timer = setTimeout(onEnd, firstChunkMs);
    signal?.addEventListener('abort', onEnd);
    stream.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

/** Without the bytes of an incomplete last character. */
function atCharacterBoundary(bytes: Buffer): Buffer {
  let end = bytes.length;
  // A character is at most four bytes: a first byte and up to three that continue it.
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(0, end);
}
