/** Reads piped input: only when stdin is not a terminal, with a short wait, and never more than a prompt can hold. */

import { fstatSync, readFileSync, statSync } from 'node:fs';
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
  const isTerminal = isatty(0);
  if (!isTerminal && !isAtHand()) return readPipedInput(process.stdin, { signal });
  return { text: isTerminal ? '' : readFileSync(0, 'utf8'), isCut: false };
}

/** Opening stdin as a stream takes milliseconds; most scripts pass the null device, and a batch a file. */
function isAtHand(): boolean {
  const input = fstatSync(0);
  if (input.isFile()) return input.size <= MAX_BYTES;
  return process.platform !== 'win32' && input.rdev === statSync('/dev/null').rdev;
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
      const bytes = Buffer.concat(chunks);
      // A stream is not over: an incomplete last character is left out.
      resolve({
        text: isCut ? new TextDecoder('utf8', { ignoreBOM: true }).decode(bytes, { stream: true }) : String(bytes),
        isCut,
      });
    };
    const onData = (chunk: Buffer) => {
      clearTimeout(timer);
      const room = maxBytes - bytes;
      if (chunk.length > room) {
        chunks.push(chunk.subarray(0, room));
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
