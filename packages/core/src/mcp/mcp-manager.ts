/**
 * McpManager: the running MCP servers of an agent. They connect side by side, and a prompt waits for them at most a
 * limit; their state is a fold of their events. Another selection of servers replaces what changed. Disposing it ends
 * every process.
 */

import type { Clock } from '../util/clock.ts';
import type { McpServer } from './server-config.ts';
import { toStableJson } from './server-config.ts';
import { ServerContents } from './server-contents.ts';
import { ServerLink } from './server-link.ts';
import type { OpenTransport } from './opened-transport.ts';
import { ServerRequests } from './server-requests.ts';
import type { ServerPorts } from './server-requests.ts';
import { connectingServers, NO_SERVERS, reduceMcp } from './server-state.ts';
import type { McpEvent, McpServerState, McpState } from './server-state.ts';
import { ToolSync } from './tool-sync.ts';
import type { ToolShelf } from './tool-sync.ts';
import type { SignInPorts } from './sign-in/sign-in.ts';
import type { SignIns, SignInState } from './sign-in/sign-ins.ts';

/** A configured server that does not run. */
export interface IdleEntry {
  readonly name: string;
  readonly reason: Extract<McpEvent, { type: 'idle' }>['reason'];
  readonly message: string;
}

export interface McpManagerOptions {
  servers: readonly McpServer[];
  idle: readonly IdleEntry[];
  tools: ToolShelf;
  open: OpenTransport;
  /** What servers may ask of the user and the model. Default: nothing. */
  ports?: ServerPorts | undefined;
  clientVersion: string;
  clock: Clock;
  /** Opens the stored sign-ins. */
  openSignIns?: (() => Promise<SignIns>) | undefined;
  signInHint?: ((server: string) => string) | undefined;
  /** Called after the state has changed. */
  onEvent?(event: McpEvent): void;
}

const NO_PORTS: ServerPorts = { roots: () => [], tell: () => undefined };

export class McpManager {
  readonly contents: ServerContents;
  private readonly links = new Map<string, ServerLink>();
  private readonly options: McpManagerOptions;
  private readonly sync: ToolSync;
  private current: McpState = NO_SERVERS;
  private starting: Promise<unknown> | undefined;
  /** Called when no server is connecting. */
  private readonly waiting = new Set<() => void>();
  /** Links that are closed and whose processes may not have ended. */
  private readonly closing = new Set<Promise<void>>();

  constructor(options: McpManagerOptions) {
    this.options = options;
    this.sync = new ToolSync(options.tools);
    this.contents = new ServerContents({ link: (name) => this.links.get(name), states: () => this.servers });
    for (const server of options.servers) this.links.set(server.name, this.createLink(server));
    for (const entry of options.idle) this.reportIdle(entry);
  }

  /** In the order of their names. */
  get servers(): McpServerState[] {
    return [...this.current.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The configuration of a running server. */
  configOf(name: string): McpServer | undefined {
    return this.links.get(name)?.server;
  }

  /** Returns at once; every server connects within its own limit. */
  start(): void {
    this.starting ??= this.connectAll();
  }

  /** Waits until no server is connecting, at most `limitMs`; returns the names that still are. */
  async settle(limitMs: number, signal: AbortSignal): Promise<string[]> {
    this.start();
    if (connectingServers(this.current).length === 0) return [];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    await this.within(limitMs, signal, promise);
    this.waiting.delete(resolve);
    return connectingServers(this.current);
  }

  /** Also waits until prompts and resources are listed. */
  async settleOffers(limitMs: number, signal: AbortSignal): Promise<void> {
    this.start();
    const offered = Promise.all([...this.links.values()].map((link) => link.offered()));
    await this.within(limitMs, signal, offered);
  }

  /** Waits until the servers that are ready have listed their prompts and resources. */
  async settleReadyOffers(limitMs: number, signal: AbortSignal): Promise<void> {
    const ready = new Set(this.servers.flatMap(({ name, status }) => (status === 'ready' ? [name] : [])));
    const offers = [...this.links].flatMap(([name, link]) => (ready.has(name) ? [link.offered()] : []));
    await this.within(limitMs, signal, Promise.all(offers));
  }

  /** Connects to a server that failed. Resolves when it is ready or has failed again. */
  async reconnect(name: string): Promise<void> {
    await this.links.get(name)?.reconnect();
  }

  /** What is known of the sign-in of each running server, in the order of their names. Nothing is sent. */
  async listSignIns(): Promise<SignInState[]> {
    const signIns = await this.options.openSignIns?.();
    const running = [...this.links.values()].map(({ server }) => server);
    return signIns ? Promise.all(running.map((server) => signIns.stateOf(server))) : [];
  }

  /**
   * Signs in to a server and connects to it again. Rejects with a SignInError, an AbortError, or an Error for an unknown
   * name; then nothing has changed.
   */
  async signIn(name: string, ports: SignInPorts): Promise<SignInState> {
    const server = this.configOf(name);
    const signIns = await this.options.openSignIns?.();
    if (!server || !signIns) throw new Error(`The MCP server ${name} does not run here.`);
    const state = await signIns.signIn(server, ports);
    await this.reconnect(name);
    return state;
  }

  /**
   * Runs exactly these servers: one whose configuration changed is started again, with `restarts` every one. Resolves
   * when the former ones have ended and the new ones are connecting.
   */
  async replace(
    servers: readonly McpServer[],
    idle: readonly IdleEntry[],
    restarts: (server: McpServer) => boolean = () => false,
  ): Promise<void> {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    for (const [name, link] of this.links) {
      const server = wanted.get(name);
      const isSame = server !== undefined && toStableJson(server) === toStableJson(link.server);
      if (!isSame || restarts(server)) this.drop(name, link);
    }
    const names = new Set([...wanted.keys(), ...idle.map(({ name }) => name)]);
    for (const name of this.current.keys()) if (!names.has(name)) this.report({ type: 'removed', ...this.stamp(name) });
    for (const entry of idle) this.reportIdle(entry);
    // A server that is started again must not meet its former process.
    await Promise.all(this.closing);
    for (const server of servers) {
      if (!this.links.has(server.name)) this.links.set(server.name, this.createLink(server));
    }
    this.starting = this.connectAll();
  }

  /** Tells every server that the folders of the workspace changed. */
  rootsChanged(): void {
    for (const link of this.links.values()) link.notify('notifications/roots/list_changed');
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.closing, ...[...this.links.values()].map((link) => link.close())]);
  }

  private connectAll(): Promise<unknown> {
    return Promise.all([...this.links.values()].map((link) => link.connect()));
  }

  private async within(limitMs: number, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    const elapsed = this.options.clock.sleep(limitMs, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    await Promise.race([work, elapsed]);
    waiting.abort();
  }

  private createLink(server: McpServer): ServerLink {
    const { open, clientVersion, clock, ports = NO_PORTS, signInHint } = this.options;
    const requests = new ServerRequests(server, ports);
    const report = (event: McpEvent) => this.report(event);
    return new ServerLink({ server, open, sync: this.sync, requests, clientVersion, clock, signInHint, report });
  }

  private drop(name: string, link: ServerLink): void {
    this.links.delete(name);
    const ended = link.close().then(() => link.endStrays());
    const closed = ended.finally(() => this.closing.delete(closed));
    this.closing.add(closed);
    this.sync.remove(name);
    this.report({ type: 'closed', ...this.stamp(name) });
  }

  private reportIdle({ name, reason, message }: IdleEntry): void {
    this.report({ type: 'idle', ...this.stamp(name), reason, message });
  }

  private stamp(server: string): { server: string; at: number } {
    return { server, at: this.options.clock.now() };
  }

  private report(event: McpEvent): void {
    this.current = reduceMcp(this.current, event);
    if (event.type === 'updated') this.contents.noteUpdate(event.server, event.uri);
    this.options.onEvent?.(event);
    if (this.waiting.size > 0 && connectingServers(this.current).length === 0) for (const wake of this.waiting) wake();
  }
}
