/** Fetches a document or a file over HTTP: bounded, through the user's proxy, with at most ten redirects. */

import { open } from 'node:fs/promises';
import { createHttpClient } from '../provider/http/http-client.ts';
import type { HttpResponse } from '../provider/http/http-messages.ts';
import { proxyFromEnvironment } from '../provider/http/proxy-environment.ts';
import { getErrorMessage, isAbortError } from '../protocol/errors.ts';
import { ARCHIVE_LIMITS } from './archive-entry.ts';
import { ExtensionError } from './extension-error.ts';
import type { Environment } from './run-git.ts';

export interface DownloadOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Sent to the first origin only: a redirect to another one does not carry it. */
  readonly token?: string | undefined;
  readonly accept?: string;
  readonly onProgress?: ((line: string) => void) | undefined;
}

const REDIRECTS = 10;
const LARGEST_DOCUMENT = 8 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** The answer of a server that was reached: `status` may be any. */
export interface Fetched {
  readonly status: number;
  readonly text: string;
}

/** Throws an ExtensionError when the server cannot be reached. */
export async function fetchDocument(url: string, options: DownloadOptions): Promise<Fetched> {
  return withResponse(url, options, async ({ status, body }) => {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      if (size > LARGEST_DOCUMENT)
        throw new ExtensionError(`${url} answered with more than ${LARGEST_DOCUMENT} bytes.`);
      pieces.push(piece);
    }
    return { status, text: Buffer.concat(pieces).toString('utf8') };
  });
}

/** Writes the file at this address. Throws an ExtensionError for every answer but 200. */
export async function downloadFile(url: string, file: string, options: DownloadOptions): Promise<void> {
  await withResponse(url, options, async ({ status, body, headers }) => {
    if (status !== 200) throw new ExtensionError(`Downloading ${url} failed: the server answered ${status}.`);
    const total = Number(headers['content-length']) || undefined;
    const handle = await open(file, 'wx', 0o600);
    try {
      let size = 0;
      let told = 0;
      for await (const piece of body) {
        size += piece.length;
        if (size > ARCHIVE_LIMITS.archiveBytes) {
          throw new ExtensionError(
            `${url} has more than ${ARCHIVE_LIMITS.archiveBytes} bytes, the limit for an archive.`,
          );
        }
        await handle.writeFile(piece);
        if (size - told < MEBIBYTE) continue;
        told = size;
        options.onProgress?.(`Downloading: ${describeSize(size)}${total ? ` of ${describeSize(total)}` : ''}`);
      }
      if (total !== undefined && size !== total) throw new ExtensionError(`Downloading ${url} failed: it was cut off.`);
    } finally {
      await handle.close();
    }
  });
}

function describeSize(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

async function withResponse<T>(
  address: string,
  options: DownloadOptions,
  read: (response: HttpResponse) => Promise<T>,
): Promise<T> {
  const { environment, signal, accept = '*/*', token } = options;
  const client = createHttpClient({
    purpose: 'extension install',
    proxyFor: proxyFromEnvironment(environment),
    idleTimeoutMs: 60_000,
  });
  try {
    let url = new URL(address);
    const { origin } = url;
    for (let hop = 0; hop <= REDIRECTS; hop += 1) {
      const headers = {
        accept,
        'user-agent': 'castor',
        ...(token !== undefined && url.origin === origin && { authorization: `Bearer ${token}` }),
      };
      const response = await client.get({ url, headers, signal });
      const { location } = response.headers;
      if (response.status < 300 || response.status >= 400 || location === undefined) return await read(response);
      response.close();
      const next = new URL(location, url);
      if (next.protocol !== 'https:' && next.protocol !== url.protocol) {
        throw new ExtensionError(`${url.href} redirects to ${next.href}, which is not encrypted.`);
      }
      url = next;
    }
    throw new ExtensionError(`${address} redirects more than ${REDIRECTS} times.`);
  } catch (error) {
    if (error instanceof ExtensionError || isAbortError(error)) throw error;
    throw new ExtensionError(`${address} cannot be reached: ${getErrorMessage(error)}`, { cause: error });
  } finally {
    client.close();
  }
}
