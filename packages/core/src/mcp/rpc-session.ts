/**
 * RpcSession: JSON-RPC with one MCP server over any transport. It matches answers to requests, ends a request on its
 * limit or on abort and tells the server, and fails what is in flight when the connection ends. Answers are data of
 * the server: an answer to a request that was never sent fails the only request in flight, else it is counted.
 */

import { isRecord } from '../util/is-record.ts';
import { createAbortError } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { cleanLine } from './clean-text.ts';

export type JsonRpcMessage = { jsonrpc: '2.0' } & Record<string, unknown>;

/** Messages in both directions. The transports of `@modelcontextprotocol/client` have this shape. */
export interface RpcTransport {
  start(): Promise<void>;
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
  /** A request has ended, with or without an answer. */
  forget?(id: number): void;
  setProtocolVersion?(version: string): void;
  onmessage?: ((message: unknown) => void) | undefined;
  /** Called once, also after `close`. */
  onclose?: ((reason?: string) => void) | undefined;
  /** For problems that do not end the connection. */
  onerror?: ((error: Error) => void) | undefined;
}

/** The server's own error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** As the server sent it. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection ended, or its limit was reached, before the answer came. */
export class RpcLost extends Error {
  override readonly name = 'RpcLost';
}

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
/** Requests of a server that are answered at the same time. */
const MAX_ANSWERING = 16;
const MAX_MESSAGE = 2_000;
/** How long an answer may follow one to an unknown request. */
const UNKNOWN_GRACE_MS = 2_000;

export interface RequestOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((params: Record<string, unknown>) => void) | undefined;
}

export interface RpcSessionOptions {
  clock: Clock;
  onNotification(method: string, params: Record<string, unknown>): void;
  /**
   * The result of a server's request; undefined: the method is unsupported. Only the words of an `RpcError` reach the
   * server. The signal is aborted when the server withdraws its request or the connection ends.
   */
  onRequest?(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> | undefined;
  onClose(reason: string | undefined): void;
}

interface PendingRequest {
  method: string;
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
  onProgress?: RequestOptions['onProgress'];
  /** Aborted when the request has ended. */
  settled: AbortSignal;
}

export class RpcSession {
  /** Answers that no request of ours explains. */
  unknownAnswers = 0;
  private readonly transport: RpcTransport;
  private readonly options: RpcSessionOptions;
  private readonly pending = new Map<number, PendingRequest>();
  /** The server's requests that are not answered yet. */
  private readonly answering = new Map<unknown, AbortController>();
  private nextId = 1;
  private isClosed = false;

  constructor(transport: RpcTransport, options: RpcSessionOptions) {
    this.transport = transport;
    this.options = options;
    transport.onmessage = (message) => this.receive(message);
    transport.onclose = (reason) => this.lose(reason);
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.isClosed;
  }

  /** Rejects with RpcError, RpcLost or an AbortError. */
  async request(method: string, params: Record<string, unknown>, options: RequestOptions) {
    const { timeoutMs, signal, onProgress } = options;
    if (signal?.aborted) throw createAbortError(signal);
    if (this.isClosed) throw new RpcLost('The connection is closed.');
    const id = this.nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    const end = new AbortController();
    this.pending.set(id, { method, resolve, reject, onProgress, settled: end.signal });
    const cancel = (error: Error, reason: string) => {
      if (!this.pending.delete(id)) return;
      // A server must not be told that its handshake is cancelled.
      if (method !== 'initialize') void this.notify('notifications/cancelled', { requestId: id, reason });
      reject(error);
    };
    const onAbort = () => cancel(createAbortError(signal), 'The user cancelled the call.');
    signal?.addEventListener('abort', onAbort, { once: true });
    void this.options.clock.sleep(timeoutMs, end.signal).then(
      () => cancel(new RpcLost(`The server did not answer ${method} within ${timeoutMs} ms.`), 'The limit is reached.'),
      () => undefined,
    );
    const meta = onProgress && { _meta: { progressToken: id } };
    this.transport.send({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } }).catch((error: unknown) => {
      if (this.pending.delete(id)) reject(error instanceof Error ? error : new RpcLost(String(error)));
    });
    try {
      return await promise;
    } finally {
      end.abort();
      this.transport.forget?.(id);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves when it is sent. One that cannot be sent is dropped: the server is told nothing it must know. */
  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    if (this.isClosed) return;
    await this.transport.send({ jsonrpc: '2.0', method, ...(params && { params }) }).catch(() => undefined);
  }

  private receive(message: unknown): void {
    if (!isRecord(message)) return;
    const { id, method } = message;
    const params = isRecord(message['params']) ? message['params'] : {};
    const isAnswer = 'id' in message && ('result' in message || 'error' in message);
    if (typeof method !== 'string') return isAnswer ? this.settle(message) : undefined;
    if (id === undefined) return this.notified(method, params);
    void this.answer(id, method, params);
  }

  private settle({ id, result, error }: Record<string, unknown>): void {
    const request = typeof id === 'number' ? this.pending.get(id) : undefined;
    if (!request || typeof id !== 'number') return this.meetUnknown(id);
    this.pending.delete(id);
    if (isRecord(error)) {
      const { code, message, data } = error;
      const words = typeof message === 'string' ? cleanLine(message, MAX_MESSAGE) : 'an error without a message';
      return request.reject(new RpcError(typeof code === 'number' ? code : 0, words, data));
    }
    if (isRecord(result)) request.resolve(result);
    else request.reject(new RpcLost(`The server's answer to ${request.method} has neither a result nor an error.`));
  }

  /**
   * A late answer to a cancelled request is expected. One to an id that was never sent stands for the answer of the
   * only request in flight, unless that one follows soon.
   */
  private meetUnknown(id: unknown): void {
    if (typeof id === 'number' && Number.isInteger(id) && id > 0 && id < this.nextId) return;
    this.unknownAnswers++;
    const [only, ...others] = this.pending;
    if (!only || others.length > 0) return;
    const [sent, { method, reject, settled }] = only;
    const given = cleanLine(JSON.stringify(id) ?? 'none', 100);
    void this.options.clock.sleep(UNKNOWN_GRACE_MS, settled).then(
      () => {
        this.pending.delete(sent);
        reject(new RpcLost(`The server answered ${method} with the id ${given} instead of ${sent}.`));
      },
      () => undefined,
    );
  }

  private notified(method: string, params: Record<string, unknown>): void {
    if (method === 'notifications/cancelled') return this.answering.get(params['requestId'])?.abort();
    if (method !== 'notifications/progress') return this.options.onNotification(method, params);
    const { progressToken } = params;
    if (typeof progressToken === 'number') this.pending.get(progressToken)?.onProgress?.(params);
  }

  private async answer(id: unknown, method: string, params: Record<string, unknown>): Promise<void> {
    const withdrawn = new AbortController();
    const isBusy = this.answering.size >= MAX_ANSWERING && method !== 'ping';
    if (!isBusy) this.answering.set(id, withdrawn);
    const reply = isBusy
      ? { error: { code: -32_000, message: `The client answers at most ${MAX_ANSWERING} requests at a time.` } }
      : await this.replyTo(method, params, withdrawn.signal);
    if (this.answering.get(id) === withdrawn) this.answering.delete(id);
    if (this.isClosed || withdrawn.signal.aborted) return;
    await this.transport.send({ jsonrpc: '2.0', id, ...reply }).catch(() => undefined);
  }

  private async replyTo(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    if (method === 'ping') return { result: {} };
    try {
      const result = await this.options.onRequest?.(method, params, signal);
      return result ? { result } : { error: { code: METHOD_NOT_FOUND, message: `Unsupported method: ${method}` } };
    } catch (error) {
      if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
      // The reason is ours and may name what the server must not know.
      return { error: { code: -32_603, message: 'The request failed.' } };
    }
  }

  private lose(reason: string | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const withdrawn of this.answering.values()) withdrawn.abort();
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new RpcLost(reason ?? 'The connection was closed.'));
    this.options.onClose(reason);
  }
}
