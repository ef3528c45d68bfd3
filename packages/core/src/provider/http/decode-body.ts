/**
 * Decodes a compressed body while it arrives: everything decodable so far is yielded before more is read. A body that
 * grows out of proportion is rejected.
 */

import type { Transform } from 'node:stream';
import { ApiError } from '../../protocol/errors.ts';
import type { EncodedBody } from './content-encoding.ts';

/** A body up to this size is decoded whatever its ratio. */
const FREE_BYTES = 64 * 1024 * 1024;
/**
 * Beyond `FREE_BYTES`, more decoded bytes per received byte are a decompression bomb; streamed JSON stays below 100.
 */
const MAX_RATIO = 200;

export async function* decode(
  source: AsyncGenerator<Buffer, void>,
  encoding: string,
  { peer, isClosed }: EncodedBody,
): AsyncGenerator<Buffer, void> {
  let decoding: Decoding | undefined;
  let received = 0;
  let decoded = 0;
  const kept = new KeptStart();
  const check = (piece: Buffer): Buffer => {
    decoded += piece.length;
    if (decoded <= FREE_BYTES || decoded <= received * MAX_RATIO) return piece;
    throw encodingError(`${peer} sent a ${encoding} body that grows beyond ${MAX_RATIO} times its size.`);
  };
  try {
    for await (const chunk of source) {
      received += chunk.length;
      kept.add(chunk);
      decoding ??= new Decoding(createDecoder(encoding, chunk));
      for await (const piece of decoding.write(chunk)) yield check(piece);
    }
    // An empty body has nothing to decode.
    if (decoding && !isClosed()) for await (const piece of decoding.end()) yield check(piece);
  } catch (error) {
    const failure = error === decoding?.failure ? decoding?.failure : undefined;
    const rest = failure && kept.beforeGarbage(failure, encoding);
    if (rest !== undefined) return void (yield rest.subarray(decoded));
    throw decoding?.failure === undefined || error !== decoding.failure
      ? error
      : encodingError(`${peer} sent a ${encoding} body that is ${describeFailure(decoding.failure)}.`, error);
  } finally {
    decoding?.close();
  }
}

/** Like a browser, accepts a complete gzip answer with other bytes after it. Longer bodies are not kept. */
const MOST_KEPT = 1024 * 1024;

/** The bytes received so far: zlib drops the output of the chunk in which such bytes begin. */
class KeptStart {
  private chunks: Buffer[] = [];
  private size = 0;

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > MOST_KEPT) this.chunks = [];
    else this.chunks.push(chunk);
  }

  /** The decoded first member, when the failure is what follows it. */
  beforeGarbage(failure: Error, encoding: string): Buffer | undefined {
    const bytes = Buffer.concat(this.chunks);
    // A member that begins with its own header, without optional fields, was read; the failure is a second header.
    const isPlain = bytes.length > GZIP_HEADER && bytes.readUInt16BE(0) === 0x1f8b && bytes[3] === 0;
    if (encoding === 'deflate' || encoding === 'br' || !isPlain || failure.message !== 'incorrect header check')
      return undefined;
    try {
      const { inflateRawSync } = process.getBuiltinModule('node:zlib');
      return inflateRawSync(bytes.subarray(GZIP_HEADER), { maxOutputLength: FREE_BYTES });
    } catch {
      // Too large, or corrupt after all: the first failure is reported.
      return undefined;
    }
  }
}

const GZIP_HEADER = 10;

/** A decoder as two generators: the output of one chunk, and the rest at the end. */
class Decoding {
  failure: Error | undefined;
  private readonly decoder: Transform;
  private isEnded = false;
  private wake: () => void = () => {};

  constructor(decoder: Transform) {
    this.decoder = decoder;
    decoder.on('readable', () => this.wake());
    decoder.on('end', () => {
      this.isEnded = true;
      this.wake();
    });
    decoder.on('error', (error) => {
      this.failure = error;
      this.wake();
    });
  }

  /** The decoder runs only as fast as its output is read, so the output of a bomb is never buffered. */
  async *write(chunk: Buffer): AsyncGenerator<Buffer, void> {
    let isWritten = false;
    this.decoder.write(chunk, () => {
      isWritten = true;
      this.wake();
    });
    yield* this.readUntil(() => isWritten);
  }

  async *end(): AsyncGenerator<Buffer, void> {
    this.decoder.end();
    yield* this.readUntil(() => false);
  }

  close(): void {
    this.decoder.destroy();
  }

  private async *readUntil(isDone: () => boolean): AsyncGenerator<Buffer, void> {
    for (;;) {
      const piece = this.decoder.read() as Buffer | null;
      if (piece !== null) {
        yield piece;
        continue;
      }
      if (this.failure) throw this.failure;
      if (this.isEnded || isDone()) return;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

function createDecoder(encoding: string, start: Buffer): Transform {
  const zlib = process.getBuiltinModule('node:zlib');
  if (encoding === 'br') return zlib.createBrotliDecompress();
  if (encoding !== 'deflate') return zlib.createGunzip();
  return isZlib(start) ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Whether the format has the header of RFC 1950; some servers send deflate without it. */
function isZlib(start: Buffer): boolean {
  const first = start[0] ?? 0;
  return (first & 0x0f) === 8 && first >> 4 <= 7;
}

function describeFailure(failure: Error): string {
  const { code } = failure as { code?: unknown };
  return code === 'Z_BUF_ERROR' ? 'truncated' : 'corrupt';
}

function encodingError(message: string, cause?: unknown): ApiError {
  return new ApiError(message, { reason: 'network', code: 'BAD_ENCODING', cause });
}
