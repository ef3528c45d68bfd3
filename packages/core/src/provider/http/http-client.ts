/**
 * Sends requests over node:http and node:https and returns the decoded body of the answer as bytes. It owns
 * connections, their reuse, their timeouts and their end; it follows no redirect, retries no request that reached a
 * server and treats every status alike. Failures are ApiError (`network`, `timeout`) or AbortError.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { ApiError } from '../../protocol/errors.ts';
import { createAbortError, throwIfAborted } from '../../util/clock.ts';
import { admitUrl, OutgoingError } from '../../util/outgoing.ts';
import type { OutgoingPurpose } from '../../util/outgoing.ts';
import { toConnectionError } from './connection-error.ts';
import { decodeBody } from './content-encoding.ts';
import { currentHttpTap } from './http-tap.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';
import { createRoutes, proxyName } from './route.ts';

export interface HttpClientOptions {
  /** Until the connection is accepted. Default 15 s. */
  connectTimeoutMs?: number | undefined;
  /** From the end of the request to the headers of the answer. Default 60 s. */
  headersTimeoutMs?: number | undefined;
  /** Between two chunks of a body, while a reader waits for it. Default 300 s. */
  idleTimeoutMs?: number | undefined;
  /** The setting the address came from, if the user configured it; errors name it. */
  addressSource?: string | undefined;
  /** The proxy for a URL, as a URL; undefined for a direct connection. */
  proxyFor?: ((url: URL) => string | undefined) | undefined;
  /** What its requests are for. Default: a model request. */
  purpose?: OutgoingPurpose | undefined;
}

export interface HttpClient {
  post(request: HttpRequest): Promise<HttpResponse>;
  get(request: Omit<HttpRequest, 'body'>): Promise<HttpResponse>;
  /** Ends all connections, active or idle. Idle connections never keep the process alive. */
  close(): void;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 15_000;
const DEFAULT_HEADERS_TIMEOUT_MS = 60_000;
export const DEFAULT_IDLE_TIMEOUT_MS = 300_000;

/** Pieces of a body this small are sent as one: each write costs more than the copy. */
const MOST_JOINED_BYTES = 64 * 1024;

/** Node fires a timer with a longer delay immediately. */
const LONGEST_TIMER_MS = 2_147_483_647;

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const clientHeadersTimeoutMs = toTimer(options.headersTimeoutMs ?? DEFAULT_HEADERS_TIMEOUT_MS);
  const connectTimeoutMs = toTimer(options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
  const idleTimeoutMs = toTimer(options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS);
  const routes = createRoutes({ proxyFor: options.proxyFor, tunnelTimeoutMs: clientHeadersTimeoutMs });

  async function send(method: 'GET' | 'POST', request: HttpRequest): Promise<HttpResponse> {
    const { url, signal } = request;
    const headersTimeoutMs = toTimer(request.headersTimeoutMs ?? clientHeadersTimeoutMs);
    throwIfAborted(signal);
    const pieces = request.body instanceof Uint8Array ? [request.body] : (request.body ?? []);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const body = pieces.length > 1 && length <= MOST_JOINED_BYTES ? [Buffer.concat(pieces, length)] : pieces;
    const headers = {
      ...request.headers,
      'accept-encoding': 'identity',
      ...(method === 'POST' && { 'content-length': length }),
    };
    admit(url);
    for (;;) {
      const { outgoing, peer: host } = routes.start(url, headers, method);
      const peer = options.addressSource === undefined ? host : `${host} (from ${options.addressSource})`;
      try {
        return await exchange(outgoing, body, { peer, signal, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs });
      } catch (error) {
        // The server had closed the idle connection before it received the request: retry on a new connection.
        if (!(outgoing.reusedSocket && isStaleConnection(error))) throw error;
      }
    }
  }

  function admit(url: URL): void {
    try {
      admitUrl(url, options.purpose ?? 'model request', proxyName(options.proxyFor?.(url)));
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      throw new ApiError(error.message, { reason: 'forbidden', cause: error });
    }
  }

  const through = (method: 'GET' | 'POST', request: HttpRequest) =>
    currentHttpTap()?.(method, request, () => send(method, request)) ?? send(method, request);

  return {
    post: (request) => through('POST', request),
    get: (request) => through('GET', request),
    close: () => routes.close(),
  };
}

function toTimer(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}

function isStaleConnection(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

interface Exchange {
  /** The name of the other end in messages. */
  peer: string;
  signal: AbortSignal | undefined;
  connectTimeoutMs: number;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
}

function exchange(outgoing: ClientRequest, body: readonly Uint8Array[], about: Exchange): Promise<HttpResponse> {
  const { peer, signal, connectTimeoutMs, headersTimeoutMs } = about;
  return new Promise((resolve, reject) => {
    let answered = false;
    const fail = (error: Error) => {
      release();
      reject(error);
      outgoing.destroy();
    };
    const onAbort = () => fail(createAbortError(signal));
    const timer = setTimeout(() => {
      fail(timeoutError(`${peer} sent no answer within ${headersTimeoutMs} ms.`));
    }, headersTimeoutMs);
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) return;
      const connectTimer = setTimeout(() => {
        fail(timeoutError(`${peer} accepted no connection within ${connectTimeoutMs} ms.`));
      }, connectTimeoutMs);
      socket.once('connect', () => clearTimeout(connectTimer)).once('close', () => clearTimeout(connectTimer));
    });
    outgoing.on('finish', () => timer.refresh());
    outgoing.on('error', (error) => {
      // Once an answer has arrived, its body reports how the connection ended.
      if (!answered) fail(toConnectionError(error, peer));
    });
    outgoing.on('response', (incoming) => {
      answered = true;
      release();
      resolve(toResponse(incoming, about));
    });
    // Sends the body together with the headers, in one system call.
    outgoing.cork();
    for (const piece of body) outgoing.write(piece);
    outgoing.end();
  });
}

function toResponse(incoming: IncomingMessage, { peer, signal, idleTimeoutMs }: Exchange): HttpResponse {
  let failure: Error | undefined;
  let closed = false;
  let waiting = false;

  const fail = (error: Error) => {
    failure ??= error;
    incoming.destroy();
  };
  const onAbort = () => fail(createAbortError(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  incoming.on('close', () => signal?.removeEventListener('abort', onAbort));

  async function* read(): AsyncGenerator<Buffer, void> {
    const timer = setTimeout(() => {
      if (waiting) fail(timeoutError(`${peer} sent no data for ${idleTimeoutMs} ms during its answer.`));
    }, idleTimeoutMs);
    try {
      waiting = true;
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        waiting = false;
        yield chunk;
        waiting = true;
        timer.refresh();
      }
    } catch (error) {
      if (closed) return;
      throw failure ?? toConnectionError(error, peer);
    } finally {
      clearTimeout(timer);
      incoming.destroy();
    }
  }

  return {
    status: incoming.statusCode ?? 0,
    statusText: incoming.statusMessage ?? '',
    headers: incoming.headers,
    body: decodeBody(read(), { headers: incoming.headers, peer, isClosed: () => closed }),
    close() {
      closed = true;
      incoming.destroy();
    },
    get closed() {
      return closed;
    },
  };
}

function timeoutError(message: string): ApiError {
  return new ApiError(message, { reason: 'timeout', code: 'ETIMEDOUT' });
}
