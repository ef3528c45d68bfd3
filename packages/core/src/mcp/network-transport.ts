/**
 * Opens a network transport of `@modelcontextprotocol/client` for an MCP server. The only file that imports the
 * library: it is loaded for the first server with a url.
 */

import { SSEClientTransport, SseError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getErrorMessage } from '../protocol/errors.ts';
import type { Clock } from '../util/clock.ts';
import { admitUrl } from '../util/outgoing.ts';
import type { JsonRpcMessage, RpcTransport } from './rpc-session.ts';
import type { NetworkAddress } from './server-config.ts';
import { limitEvents } from './limit-events.ts';
import { ReopenPace } from './reopen-pace.ts';
import type { RequestAuthorization } from './request-authorization.ts';
import { createServerFetch } from './server-fetch.ts';
import type { ServerFetch } from './server-fetch.ts';

type LibraryTransport = StreamableHTTPClientTransport | SSEClientTransport;
type LibraryMessage = Parameters<SSEClientTransport['send']>[0];
/** Requests on their way, by their ids. */
type Unanswered = Map<unknown, PromiseWithResolvers<void>>;

/** Undefined where the address has no such transport. */
export function openNetworkTransport(
  { kind, url, headers }: NetworkAddress,
  attempt: 'first' | 'fallback',
  { clock, authorization }: { clock: Clock; authorization?: RequestAuthorization | undefined },
): RpcTransport | undefined {
  if (attempt === 'fallback' && kind !== 'http-or-sse') return undefined;
  const options = { requestInit: { headers: { ...headers } }, fetch: limited(createServerFetch({ authorization })) };
  const unanswered: Unanswered = new Map();
  const isEvents = kind === 'sse' || attempt === 'fallback';
  const inner = isEvents
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), {
        ...options,
        reconnectionScheduler: new ReopenPace(clock, () => unanswered.size > 0).schedule,
      });
  return new NetworkTransport(inner, { url, clock, unanswered });
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

/** How long a server may take to be told of a cancel and of the end. */
const FAREWELL_MS = 400;
const PROBE_MS = 5_000;
/** How long an answer may come on the listening stream after its own has ended. */
const ELSEWHERE_MS = 400;

class NetworkTransport implements RpcTransport {
  onclose: RpcTransport['onclose'];
  onerror: RpcTransport['onerror'];
  private readonly inner: LibraryTransport;
  private readonly url: string;
  private readonly clock: Clock;
  /** Notifications on their way. */
  private readonly notices = new Set<Promise<void>>();
  private readonly unanswered: Unanswered;
  private readonly end = new AbortController();
  private hasSpoken = false;
  private isProbing = false;

  constructor(
    inner: LibraryTransport,
    { url, clock, unanswered }: { url: string; clock: Clock; unanswered: Unanswered },
  ) {
    this.inner = inner;
    this.url = url;
    this.clock = clock;
    this.unanswered = unanswered;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => {
      this.onerror?.(error);
      // Over SSE the session ends with its stream: one that the library opens again knows nothing of the handshake.
      if (error instanceof SseError && this.hasSpoken) void this.lose(error);
      else void this.probe();
    };
  }

  set onmessage(handler: RpcTransport['onmessage']) {
    this.inner.onmessage = (message) => {
      this.hasSpoken = true;
      if ('id' in message && !('method' in message)) this.forget(message.id);
      handler?.(message);
    };
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if ('id' in message && 'method' in message) return this.ask(message);
    const sent = this.inner.send(message as unknown as LibraryMessage);
    if ('id' in message) return sent;
    this.notices.add(sent);
    try {
      await sent;
    } finally {
      this.notices.delete(sent);
    }
  }

  forget(id: unknown): void {
    this.unanswered.get(id)?.resolve();
    this.unanswered.delete(id);
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion(version);
  }

  /** Tells the server of a cancel and that its session ends; one that does not answer is not waited for. */
  async close(): Promise<void> {
    await this.within(Promise.allSettled(this.notices));
    if ('terminateSession' in this.inner) await this.within(this.inner.terminateSession());
    this.end.abort();
    await this.inner.close();
  }

  /** Resolves when the answer is there; rejects when its stream ends without it. */
  private ask(message: JsonRpcMessage): Promise<void> {
    const { id } = message;
    const answer = Promise.withResolvers<void>();
    this.unanswered.set(id, answer);
    const onRequestStreamEnd = () => void this.miss(id);
    const fail = (error: unknown) => {
      this.unanswered.delete(id);
      answer.reject(error);
    };
    // Over SSE the answer comes on the one stream of the session, and the option is ignored.
    const inner = this.inner as StreamableHTTPClientTransport;
    inner.send(message as unknown as LibraryMessage, { onRequestStreamEnd }).catch(fail);
    return answer.promise;
  }

  /** The server ended the stream of an answer. */
  private async miss(id: unknown): Promise<void> {
    if (!this.unanswered.has(id)) return;
    await this.clock.sleep(ELSEWHERE_MS, this.end.signal).catch(() => undefined);
    this.unanswered.get(id)?.reject(new Error('The server ended its answer without a result.'));
    this.unanswered.delete(id);
  }

  /** The library only reports that a stream broke: calls to a server that is gone would wait for their limit. */
  private async probe(): Promise<void> {
    if (!this.hasSpoken || this.isProbing) return;
    this.isProbing = true;
    try {
      const signal = AbortSignal.timeout(PROBE_MS);
      admitUrl(new URL(this.url), 'MCP server');
      const response = await fetch(this.url, { method: 'HEAD', redirect: 'manual', signal });
      await response.body?.cancel();
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      await this.lose(cause ?? error);
    } finally {
      this.isProbing = false;
    }
  }

  private async lose(error: unknown): Promise<void> {
    this.onclose?.(`The connection to the server broke: ${getErrorMessage(error)}`);
    await this.inner.close().catch(() => undefined);
  }

  private async within(work: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    const elapsed = this.clock.sleep(FAREWELL_MS, waiting.signal).catch(() => undefined);
    await Promise.race([work.catch(() => undefined), elapsed]);
    waiting.abort();
  }
}
