/**
 * Sends the requests of a network transport: with the server's credential, renewed once after a 401, and with redirects
 * that take neither a credential nor a configured header to another host.
 */

import { admitUrl } from '../util/outgoing.ts';
import type { RequestAuthorization } from './request-authorization.ts';

const MAX_REDIRECTS = 5;
/** What the transports set themselves and every server needs. */
const PLAIN_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'];

export interface ServerFetchOptions {
  authorization?: RequestAuthorization | undefined;
}

export type ServerFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

export function createServerFetch({ authorization }: ServerFetchOptions): ServerFetch {
  return async (address, init = {}) => {
    const send = async () => follow(new URL(address), await withCredential(init, authorization));
    const response = await send();
    if (response.status !== 401 || !authorization) return response;
    if (!(await authorization.renew(init.signal ?? undefined))) return response;
    await response.body?.cancel();
    return send();
  };
}

async function withCredential(
  init: RequestInit,
  authorization: RequestAuthorization | undefined,
): Promise<RequestInit> {
  if (!authorization) return init;
  const headers = new Headers(init.headers);
  const added = await authorization.headers(init.signal ?? undefined);
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  return { ...init, headers };
}

async function follow(url: URL, init: RequestInit): Promise<Response> {
  let [address, request] = [url, init];
  for (let redirects = 0; ; redirects += 1) {
    admitUrl(address, 'MCP server');
    const response = await fetch(address, { ...request, redirect: 'manual' });
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    const target = URL.parse(location, address.href);
    if (target === null || redirects === MAX_REDIRECTS) throw new Error(`${url.href} redirects too often or nowhere.`);
    if (address.protocol === 'https:' && target.protocol !== 'https:') {
      throw new Error(
        `${address.origin} redirects to ${target.protocol}//, which is not encrypted. Castor does not follow.`,
      );
    }
    request = redirected(request, { status: response.status, isSameHost: target.host === address.host });
    address = target;
  }
}

function redirected(init: RequestInit, { status, isSameHost }: { status: number; isSameHost: boolean }): RequestInit {
  const headers = new Headers(init.headers);
  if (!isSameHost) for (const name of [...headers.keys()]) if (!PLAIN_HEADERS.includes(name)) headers.delete(name);
  if (status === 307 || status === 308 || init.method !== 'POST') return { ...init, headers };
  const { body: _body, ...rest } = init;
  headers.delete('content-type');
  return { ...rest, headers, method: 'GET' };
}
