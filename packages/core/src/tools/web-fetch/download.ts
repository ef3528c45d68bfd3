/**
 * Downloads one page, limited in time, size and redirects. Every address is checked when
 * the connection is made, on every redirect, and the connection uses the checked address,
 * so that a name that changes its answer gains nothing. No cookie, key or pooled
 * connection is used.
 */

import type { LookupAddress, LookupOptions } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { getErrorMessage, ToolError } from '../../protocol/errors.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { isPublicAddress } from './addresses.ts';
import { admitUrl } from '../../util/outgoing.ts';
import { checkUrl, isRefusedHost } from './urls.ts';
import { builtin } from '../../util/builtin-modules.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  /** Addresses that connections may use; the public internet by default. */
  isAllowedAddress?: ((address: string) => boolean) | undefined;
  /** The system's resolver by default. */
  resolve?: ((hostname: string) => Promise<LookupAddress[]>) | undefined;
  timeoutMs?: number;
  maxBytes?: number;
}

export interface Download {
  /** The final URL after redirects. */
  url: string;
  /** Lower case, without parameters. */
  contentType: string;
  /** The character set the server declares. */
  charset: string | undefined;
  body: Buffer;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; Castor)',
  accept: 'text/html, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

/** Throws ToolError of type web_fetch_processing_error, or AbortError. */
export async function download(start: URL, options: DownloadOptions): Promise<Download> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await fetchOnce(url, { ...options, signal });
      if (!(answer instanceof URL)) return answer;
      url = answer;
    }
    throw failure(`${start.href}: more than ${MAX_REDIRECTS} redirects.`);
  } catch (error) {
    throwIfAborted(options.signal);
    if (deadline.aborted) throw failure(`${start.href}: no answer within ${timeoutMs / 1000} seconds.`, error);
    if (error instanceof ToolError) throw error;
    throw failure(`${start.href}: ${getErrorMessage(error)}`, error);
  }
}

/** The page, or its redirect target. */
async function fetchOnce(url: URL, options: DownloadOptions): Promise<Download | URL> {
  const { isAllowedAddress = isPublicAddress, maxBytes = MAX_BYTES, signal } = options;
  if (isRefusedHost(url, isAllowedAddress)) throw refusedHost(url.hostname);
  admitUrl(url, 'web fetch');
  const response = await request(url, { signal, lookup: createLookup(options, isAllowedAddress) });
  try {
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && location !== undefined) return toRedirect(location, url);
    if (status < 200 || status >= 300) throw failure(`${url.href}: the server answered ${status}.`);
    const [contentType = '', ...parameters] = (response.headers['content-type'] ?? '').toLowerCase().split(';');
    const charset = parameters.map((each) => /^\s*charset="?([^"\s]+)/.exec(each)?.[1]).find((each) => each);
    return { url: url.href, contentType: contentType.trim(), charset, body: await readBody(response, maxBytes, url) };
  } finally {
    response.destroy();
  }
}

function toRedirect(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw failure(`${from.href}: redirects to a malformed URL.`);
  // Use the redirect target exactly: without its final slash the server may redirect to it again.
  const target = checkUrl(new URL(location, from).href);
  if (typeof target === 'string') throw failure(`${from.href}: redirects to an unsupported address. ${target}`);
  return target;
}

async function request(url: URL, options: { signal: AbortSignal; lookup: LookupFunction }): Promise<IncomingMessage> {
  const { request: send } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    send(url, { ...options, agent: false, headers: HEADERS, maxHeaderSize: 65_536 })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** Resolves a name and rejects it when any of its addresses is rejected. */
function createLookup({ resolve }: DownloadOptions, isAllowedAddress: (address: string) => boolean): LookupFunction {
  const resolveAll = resolve ?? ((hostname: string) => builtin.dns.lookup(hostname, { all: true }));
  return (hostname, options: LookupOptions, callback) => {
    resolveAll(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new Error(`${hostname}: the host name has no address.`), '', 0);
        else if (!addresses.every(({ address }) => isAllowedAddress(address))) callback(refusedHost(hostname), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
}

async function readBody(response: IncomingMessage, maxBytes: number, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw failure(`${url.href}: the content exceeds the limit of ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  };
  const decoder = await createDecoder(response.headers['content-encoding'], url);
  await (decoder ? builtin.streams.pipeline(response, decoder, collect) : builtin.streams.pipeline(response, collect));
  return Buffer.concat(chunks);
}

async function createDecoder(encoding: string | undefined, url: URL): Promise<Transform | undefined> {
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw failure(`${url.href}: the content is encoded as "${encoding}", which is not supported.`);
  }
}

function refusedHost(host: string): ToolError {
  return failure(`Access to ${host} is denied: it is this machine or a private network.`);
}

function failure(message: string, cause?: unknown): ToolError {
  return new ToolError(message, 'web_fetch_processing_error', cause === undefined ? {} : { cause });
}
