/**
 * Finds the encoding of a body. Requests ask for none, but gateways and proxies may still apply one; the decoder is
 * loaded for the first body that needs it.
 */

import type { IncomingHttpHeaders } from 'node:http';

/** Each encoding multiplies the size a body can expand to; servers send one. */
const MAX_ENCODINGS = 2;

const ENCODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

/**
 * The `Content-Encoding` that `decodeBody` would leave undecoded; undefined when there is none or it is supported.
 */
export function unsupportedEncoding(headers: IncomingHttpHeaders): string | undefined {
  const names = encodingsOf(headers);
  const isSupported = names.length <= MAX_ENCODINGS && names.every((name) => ENCODINGS.has(name));
  return isSupported ? undefined : headers['content-encoding'];
}

export interface EncodedBody {
  headers: IncomingHttpHeaders;
  /** The name of the other end in error messages. */
  peer: string;
  /** Whether this end closed the body: a truncated encoding is then not an error. */
  isClosed: () => boolean;
}

/** The decoded body. */
export function decodeBody(body: AsyncGenerator<Buffer, void>, about: EncodedBody): AsyncGenerator<Buffer, void> {
  const { headers } = about;
  if (unsupportedEncoding(headers) !== undefined) return body;
  return encodingsOf(headers).reduceRight((inner, encoding) => decodeLater(inner, encoding, about), body);
}

function encodingsOf({ 'content-encoding': value = '' }: IncomingHttpHeaders): string[] {
  const names = value.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

async function* decodeLater(
  source: AsyncGenerator<Buffer, void>,
  encoding: string,
  about: EncodedBody,
): AsyncGenerator<Buffer, void> {
  const { decode } = await import('./decode-body.ts');
  yield* decode(source, encoding, about);
}
