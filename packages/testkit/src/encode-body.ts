/**
 * Compresses the body of an answer like a gateway: each write is flushed, so that the client can decode everything sent
 * so far. It can also truncate or corrupt the encoding, to test how a client handles that.
 */

import { type BrotliCompress, type Deflate, type Gzip, constants } from 'node:zlib';
import { createBrotliCompress, createDeflate, createDeflateRaw, createGzip } from 'node:zlib';

/** `deflate` is the zlib format of the standard, `deflate-raw` what some servers send under that name. */
export type BodyEncoding = 'gzip' | 'deflate' | 'deflate-raw' | 'br';

/** How the encoding ends: `whole`, `cut` without its last bytes, or `garbage` in the middle. Default `whole`. */
export type EncodingEnd = 'whole' | 'cut' | 'garbage';

export const BODY_ENCODINGS = ['gzip', 'deflate', 'deflate-raw', 'br'] as const satisfies readonly BodyEncoding[];

const GARBAGE = Buffer.alloc(64, 0xff);

/** The value of `Content-Encoding`. */
export function encodingHeader(encoding: BodyEncoding): string {
  return encoding === 'deflate-raw' ? 'deflate' : encoding;
}

export class BodyEncoder {
  private readonly compressor: Gzip | Deflate | BrotliCompress;
  private readonly end: EncodingEnd;
  private readonly encoded: Buffer[] = [];

  constructor(encoding: BodyEncoding, end: EncodingEnd = 'whole') {
    this.end = end;
    this.compressor = createCompressor(encoding);
    this.compressor.on('data', (chunk: Buffer) => this.encoded.push(chunk));
  }

  /** The encoded bytes, complete up to and including `bytes`. */
  async encode(bytes: Uint8Array): Promise<Buffer> {
    this.compressor.write(bytes);
    await new Promise<void>((resolve) => this.compressor.flush(resolve));
    return this.take();
  }

  /** The bytes that end the encoding, in the way chosen in the constructor. */
  async finish(): Promise<Buffer> {
    if (this.end === 'cut') return Buffer.alloc(0);
    if (this.end === 'garbage') return GARBAGE;
    await new Promise<void>((resolve) => this.compressor.once('end', resolve).end());
    return this.take();
  }

  private take(): Buffer {
    return Buffer.concat(this.encoded.splice(0));
  }
}

function createCompressor(encoding: BodyEncoding): Gzip | Deflate | BrotliCompress {
  const options = { flush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
      return createGzip(options);
    case 'deflate':
      return createDeflate(options);
    case 'deflate-raw':
      return createDeflateRaw(options);
    case 'br':
      return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  }
}
