/**
 * ServerLink: the life of one MCP server: connect within its limit, list what it offers, follow changes, reconnect
 * with backoff after a death, close. It reports events; a failure is never an exception for others.
 */

import type { Clock } from '../util/clock.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { throwIfAborted } from '../util/clock.ts';
import { describeLog } from './describe-log.ts';
import { describeFailure, isSessionLost, isSignInMissing, isUnreachable, McpConnection } from './connection.ts';
import type { ListedItems } from './list-pages.ts';
import type { ListedTool } from './listed-items.ts';
import type { OpenedTransport, OpenTransport } from './opened-transport.ts';
import type { RequestOptions } from './rpc-session.ts';
import { usesGoogleCredentials } from './server-config.ts';
import type { McpServer } from './server-config.ts';
import { ServerLists } from './server-lists.ts';
import type { ServerRequests } from './server-requests.ts';
import type { McpEvent } from './server-state.ts';
import type { ToolSync } from './tool-sync.ts';
import type { CallResult } from './tool-result.ts';

/** The transport of the last attempt: its stderr explains a failure. */
interface Opened {
  last?: OpenedTransport;
  isFallback?: boolean;
}

type EventOf<E> = E extends unknown ? Omit<E, 'server' | 'at'> : never;

export interface ServerLinkOptions {
  server: McpServer;
  open: OpenTransport;
  sync: ToolSync;
  /** Answers what the server asks. */
  requests: Pick<ServerRequests, 'answer' | 'capabilities' | 'explain'>;
  clientVersion: string;
  clock: Clock;
  /** A sentence on how the user signs in to a server. */
  signInHint?: ((server: string) => string) | undefined;
  report(event: McpEvent): void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const MAX_RETRIES = 6;
/** A connection that lasts this long was a success. Proxies often end a stream without events after half a minute. */
const STEADY_MS = { process: 60_000, network: 20_000 };

export class ServerLink {
  readonly server: McpServer;
  private readonly options: ServerLinkOptions;
  private readonly end = new AbortController();
  private connection: McpConnection | undefined;
  private opened: OpenedTransport | undefined;
  private readonly lists: ServerLists;
  /** Resources whose changes the server reports. */
  private readonly subscribed = new Set<string>();
  private offering: Promise<void> = Promise.resolve();
  private retries = 0;
  private readyAt = 0;
  private running: Promise<void> | undefined;

  constructor(options: ServerLinkOptions) {
    this.options = options;
    this.server = options.server;
    this.lists = new ServerLists({
      connection: () => (this.end.signal.aborted ? undefined : this.connection),
      request: () => this.request(),
      takeTools: (tools) => this.apply(tools),
      takeOffer: (offer) => this.report({ type: 'offered', ...offer }),
      note: (text) => this.report({ type: 'logged', text }),
    });
  }

  /** Resolves when the server is ready or has failed. Never rejects. */
  async connect(): Promise<void> {
    this.running ??= this.attempt().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Connects at once to a server that failed or waits for its next attempt. Never rejects. */
  async reconnect(): Promise<void> {
    await this.running;
    await this.connect();
  }

  /** Resolves when prompts and resources are listed as well. Never rejects. */
  async offered(): Promise<void> {
    await this.running;
    await this.offering;
  }

  /** Uses the connection. Rejects with a sentence while there is none. */
  async use<T>(work: (connection: McpConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    const { connection } = this;
    if (!connection) {
      throw new Error('The server is not connected. Castor reconnects it; try again later, or continue without it.');
    }
    try {
      return await work(connection);
    } catch (error) {
      // The next request finds a new session.
      if (isSessionLost(error)) void connection.close();
      if (isSignInMissing(error) || isUnreachable(error))
        throw new Error(this.describe(error, this.opened), { cause: error });
      throw error;
    }
  }

  /** Has the server report changes of a resource, also after a reconnect. Never rejects. */
  async follow(uri: string): Promise<void> {
    if (this.subscribed.has(uri)) return;
    const isFollowed = await this.use((connection) => connection.subscribe(uri, this.request())).catch(() => false);
    if (isFollowed) this.subscribed.add(uri);
  }

  notify(method: string): void {
    this.connection?.notify(method);
  }

  /** Ends the process or the connection; nothing is reported afterwards. */
  async close(): Promise<void> {
    this.end.abort();
    await this.connection?.close();
    await this.running;
  }

  /** After `close`, for a program that goes on: its end ends every process anyway. */
  async endStrays(): Promise<void> {
    await this.opened?.endStrays?.();
  }

  private async attempt(): Promise<void> {
    const { server, clock } = this.options;
    if (this.end.signal.aborted || this.connection) return;
    this.report({ type: 'connecting' });
    const limit = new AbortController();
    const signal = AbortSignal.any([limit.signal, this.end.signal]);
    const opened: Opened = {};
    const fail = (reason: string, needsSignIn = false) =>
      this.fail(reason, {
        stderr: opened.last?.stderr() ?? '',
        mayRetry: this.retries > 0 && !needsSignIn,
        needsSignIn,
      });
    const elapsed = clock.sleep(server.startLimitMs, signal).then(
      () => {
        // Told at once: a caller must not wait until its process has ended.
        fail(`It was not ready within ${server.startLimitMs} ms.`);
        limit.abort();
      },
      () => undefined,
    );
    try {
      await this.open(signal, opened);
    } catch (error) {
      if (!limit.signal.aborted) fail(this.describe(error, opened.last), isSignInMissing(error));
    } finally {
      limit.abort();
      await elapsed;
    }
  }

  private async open(signal: AbortSignal, opened: Opened): Promise<void> {
    const connection = await this.openEither(signal, opened);
    try {
      const request = { timeoutMs: this.options.server.startLimitMs, signal };
      let tools = await connection.listTools(request);
      // Some servers add tools right after the handshake.
      if (this.lists.takeMissed('tools')) tools = await connection.listTools(request);
      throwIfAborted(signal);
      this.connection = connection;
      this.readyAt = this.options.clock.now();
      this.apply(tools);
      this.report({ type: 'ready', instructions: connection.instructions, isFallback: opened.isFallback ?? false });
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.offering = this.listOffer(connection);
    this.lists.catchUp();
  }

  /** Tools are usable before the rest is listed, and if it cannot be listed. */
  private async listOffer(connection: McpConnection): Promise<void> {
    await this.lists.listOffer();
    const again = [...this.subscribed].map((uri) => connection.subscribe(uri, this.request()));
    await Promise.allSettled(again);
  }

  /** The error of the first transport is reported: the fallback is a guess. */
  private async openEither(signal: AbortSignal, opened: Opened): Promise<McpConnection> {
    const { server, open } = this.options;
    try {
      return await this.handshake(await open(server, 'first'), signal, opened);
    } catch (error) {
      if (signal.aborted || isSignInMissing(error)) throw error;
      const fallback = await open(server, 'fallback');
      if (!fallback) throw error;
      opened.isFallback = true;
      try {
        return await this.handshake(fallback, signal, opened);
      } catch (second) {
        throw isSignInMissing(second) ? second : error;
      }
    }
  }

  private async handshake(
    found: OpenedTransport | undefined,
    signal: AbortSignal,
    opened: Opened,
  ): Promise<McpConnection> {
    if (!found) throw new Error('The server has no address.');
    opened.last = found;
    this.opened = found;
    const { server, clock, clientVersion, requests } = this.options;
    const connection = await McpConnection.open({
      transport: found.transport,
      clientVersion,
      clock,
      startLimitMs: server.startLimitMs,
      signal,
      capabilities: requests.capabilities,
      onRequest: (method, params, withdrawn) => requests.answer(method, params, withdrawn),
      onNotification: (method, params) => this.notified(method, params),
      // Before the server is ready, the request in flight fails and reports the reason.
      onClose: (reason) => {
        if (this.connection?.isOver) this.lose(reason, found.stderr());
      },
    });
    return connection;
  }

  private describe(error: unknown, opened: OpenedTransport | undefined): string {
    const { server, signInHint } = this.options;
    if (!isSignInMissing(error)) return describeFailure(error, server.address);
    const hint = usesGoogleCredentials(server) ? undefined : signInHint?.(server.name);
    return joinSentences(opened?.signInProblem?.() ?? describeFailure(error), hint);
  }

  private lose(reason: string | undefined, stderr: string): void {
    this.connection = undefined;
    const steadyMs = this.server.address.kind === 'stdio' ? STEADY_MS.process : STEADY_MS.network;
    if (this.options.clock.now() - this.readyAt > steadyMs) this.retries = 0;
    this.fail(reason ?? 'The server closed the connection.', { stderr, mayRetry: true });
  }

  /** A server that was ready once is tried again, with growing delays; its tools stay offered meanwhile. */
  private fail(
    error: string,
    { stderr, mayRetry, needsSignIn = false }: { stderr: string; mayRetry: boolean; needsSignIn?: boolean },
  ): void {
    const { server, clock, sync } = this.options;
    if (this.end.signal.aborted) return;
    if (!mayRetry || this.retries >= MAX_RETRIES) {
      this.retries = 0;
      sync.remove(server.name);
      this.report({ type: 'listed', tools: [], leftOut: [] });
      this.report({ type: 'offered', prompts: [], resources: [], templates: [] });
      this.report({ type: 'failed', error, stderr, ...(needsSignIn && { needsSignIn }) });
      return;
    }
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.retries++) * (0.75 + clock.random() / 2);
    this.report({ type: 'failed', error, stderr, retriesInMs: Math.round(delay) });
    void clock.sleep(delay, this.end.signal).then(
      () => this.reconnect(),
      () => undefined,
    );
  }

  private notified(method: string, params: Record<string, unknown>): void {
    this.lists.notified(method);
    const { uri } = params;
    if (method === 'notifications/resources/updated' && typeof uri === 'string') this.report({ type: 'updated', uri });
    if (method === 'notifications/message') this.report({ type: 'logged', text: describeLog(params) });
  }

  /** The options of a request that no call waits for. */
  private request(): RequestOptions {
    return { timeoutMs: this.options.server.startLimitMs, signal: this.end.signal };
  }

  private apply({ items, cut }: ListedItems<ListedTool>): void {
    const { server, sync } = this.options;
    const found = sync.apply(server, items, (tool, args, options) => this.call(tool, args, options));
    const leftOut = cut === undefined ? found.leftOut : [...found.leftOut, `Of the MCP server ${server.name} ${cut}`];
    const ownNames = cut === undefined ? items.map(({ name }) => name) : undefined;
    this.report({ type: 'listed', ...found, leftOut, ownNames });
  }

  private async call(tool: string, args: Record<string, unknown>, options: RequestOptions): Promise<CallResult> {
    try {
      return await this.use((connection) => connection.callTool(tool, args, options), options.signal);
    } catch (error) {
      throw await this.options.requests.explain(error, options.signal ?? this.end.signal);
    }
  }

  private report(event: EventOf<McpEvent>): void {
    if (this.end.signal.aborted) return;
    const { server, clock, report } = this.options;
    report({ ...event, server: server.name, at: clock.now() } as McpEvent);
  }
}
