/**
 * McpManager: all MCP servers of an agent. They connect side by side, and a prompt waits for them at most a limit;
 * their state is a fold of their events. Disposing it ends every process.
 */

import type { Clock } from '../util/clock.ts';
import { ServerLink } from './server-link.ts';
import type { OpenTransport } from './server-link.ts';
import type { McpServer } from './server-config.ts';
import { connectingServers, NO_SERVERS, reduceMcp } from './server-state.ts';
import type { McpEvent, McpServerState, McpState } from './server-state.ts';
import { ToolSync } from './tool-sync.ts';
import type { ToolShelf } from './tool-sync.ts';
import type { SignInPorts } from './sign-in/sign-in.ts';
import type { SignIns, SignInState } from './sign-in/sign-ins.ts';

export interface McpManagerOptions {
  servers: readonly McpServer[];
  /** Configured servers that do not run, with the reason. */
  idle: readonly { name: string; reason: Extract<McpEvent, { type: 'idle' }>['reason']; message: string }[];
  tools: ToolShelf;
  open: OpenTransport;
  clientVersion: string;
  clock: Clock;
  /** Opens the stored sign-ins. */
  openSignIns?: (() => Promise<SignIns>) | undefined;
  signInHint?: ((server: string) => string) | undefined;
  /** Called after the state has changed. */
  onEvent?(event: McpEvent): void;
}

export class McpManager {
  private readonly links: Map<string, ServerLink>;
  private readonly options: McpManagerOptions;
  private current: McpState = NO_SERVERS;
  private starting: Promise<unknown> | undefined;

  constructor(options: McpManagerOptions) {
    this.options = options;
    const { servers, idle, tools, open, clientVersion, clock, signInHint } = options;
    const sync = new ToolSync(tools);
    const report = (event: McpEvent) => this.report(event);
    this.links = new Map(
      servers.map((server) => [
        server.name,
        new ServerLink({ server, open, sync, clientVersion, clock, signInHint, report }),
      ]),
    );
    for (const { name, reason, message } of idle) {
      this.report({ type: 'idle', server: name, at: clock.now(), reason, message });
    }
  }

  /** In the order of their names. */
  get servers(): McpServerState[] {
    return [...this.current.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns at once; every server connects within its own limit. */
  start(): void {
    this.starting ??= Promise.all([...this.links.values()].map((link) => link.connect()));
  }

  /** Waits until no server is connecting, at most `limitMs`; returns the names that still are. */
  async settle(limitMs: number, signal: AbortSignal): Promise<string[]> {
    this.start();
    if (connectingServers(this.current).length === 0) return [];
    const waiting = new AbortController();
    const elapsed = this.options.clock.sleep(limitMs, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    await Promise.race([this.starting, elapsed]);
    waiting.abort();
    return connectingServers(this.current);
  }

  /** Connects to a server that failed. Resolves when it is ready or has failed again. */
  async reconnect(name: string): Promise<void> {
    await this.links.get(name)?.reconnect();
  }

  /** What is known of the sign-in of each running server, in the order of their names. Nothing is sent. */
  async listSignIns(): Promise<SignInState[]> {
    const signIns = await this.options.openSignIns?.();
    return signIns ? Promise.all(this.options.servers.map((server) => signIns.stateOf(server))) : [];
  }

  /**
   * Signs in to a server and connects to it again. Rejects with a SignInError, an AbortError, or an Error for an unknown
   * name; then nothing has changed.
   */
  async signIn(name: string, ports: SignInPorts): Promise<SignInState> {
    const server = this.options.servers.find((each) => each.name === name);
    const signIns = await this.options.openSignIns?.();
    if (!server || !signIns) throw new Error(`The MCP server ${name} does not run here.`);
    const state = await signIns.signIn(server, ports);
    await this.reconnect(name);
    return state;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.close()));
  }

  private report(event: McpEvent): void {
    this.current = reduceMcp(this.current, event);
    this.options.onEvent?.(event);
  }
}
