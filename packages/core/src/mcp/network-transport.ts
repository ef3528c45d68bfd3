/**
 * Opens a network transport of `@modelcontextprotocol/client` for an MCP server. The only file that imports the
 * library: it is loaded for the first server with a url.
 */

import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonRpcMessage, RpcTransport } from './rpc-session.ts';
import type { NetworkAddress } from './server-config.ts';
import { limitEvents } from './limit-events.ts';
import type { RequestAuthorization } from './request-authorization.ts';
import { createServerFetch } from './server-fetch.ts';
import type { ServerFetch } from './server-fetch.ts';

type LibraryTransport = StreamableHTTPClientTransport | SSEClientTransport;
type LibraryMessage = Parameters<SSEClientTransport['send']>[0];

/** Undefined where the address has no such transport. */
export function openNetworkTransport(
  { kind, url, headers }: NetworkAddress,
  attempt: 'first' | 'fallback',
  authorization?: RequestAuthorization,
): RpcTransport | undefined {
  if (attempt === 'fallback' && kind !== 'http-or-sse') return undefined;
  const options = { requestInit: { headers: { ...headers } }, fetch: limited(createServerFetch({ authorization })) };
  const isEvents = kind === 'sse' || attempt === 'fallback';
  const inner = isEvents
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), options);
  return new NetworkTransport(inner);
}

/** A server without the optional listening stream may answer its request with 404; the library expects 405. */
function limited(send: ServerFetch): ServerFetch {
  return async (address, init) => {
    const response = await send(address, init);
    const { status, statusText, headers } = response;
    if (init?.method === 'GET' && status === 404) {
      await response.body?.cancel();
      return new Response(null, { status: 405, headers });
    }
    return response.body === null
      ? response
      : new Response(response.body.pipeThrough(limitEvents()), { status, statusText, headers });
  };
}

class NetworkTransport implements RpcTransport {
  private readonly inner: LibraryTransport;

  constructor(inner: LibraryTransport) {
    this.inner = inner;
  }

  set onmessage(handler: RpcTransport['onmessage']) {
    this.inner.onmessage = (message) => handler?.(message);
  }

  set onclose(handler: RpcTransport['onclose']) {
    this.inner.onclose = () => handler?.();
  }

  set onerror(handler: RpcTransport['onerror']) {
    this.inner.onerror = (error) => handler?.(error);
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  send(message: JsonRpcMessage): Promise<void> {
    return this.inner.send(message as unknown as LibraryMessage);
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion(version);
  }

  /** Tells the server that its session ends, without waiting for a server that does not answer. */
  async close(): Promise<void> {
    if ('terminateSession' in this.inner) void this.inner.terminateSession().catch(() => undefined);
    await this.inner.close();
  }
}
