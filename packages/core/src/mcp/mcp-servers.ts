/**
 * McpServers: the MCP servers of an agent, as its surfaces use them: state, the visible wait of the first prompt, what
 * the model is told, and switching servers on and off.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { cleanLine } from './clean-text.ts';
import type { ChosenServers } from './choose-servers.ts';
import type { McpManager } from './mcp-manager.ts';
import type { McpServer } from './server-config.ts';
import type { UnsettledServer } from './server-consent.ts';
import type { ServerContents } from './server-contents.ts';
import { describeInstructions } from './server-instructions.ts';
import { connectingServers } from './server-state.ts';
import type { McpServerState } from './server-state.ts';
import type { SignInPorts } from './sign-in/sign-in.ts';
import type { SignInState } from './sign-in/sign-ins.ts';
import type { SearchFigures, ToolSearch } from './tool-search.ts';

export interface McpServersOptions {
  manager: McpManager;
  search: ToolSearch;
  /** The most the first prompt waits; undefined: as long as each server may take. */
  promptWaitMs: number | undefined;
  /** Whether the wait is shown while it lasts, and so needs no line. */
  showsWait: boolean;
  /** Selects the servers again, with the servers that are switched off in this session; throws sentences. */
  select(switched: ReadonlyMap<string, boolean>): ChosenServers;
  /** The servers of the project that did not start for want of consent. */
  unsettled: readonly UnsettledServer[];
  /** Records the user's consent. Throws file-system errors. */
  recordConsent(servers: readonly McpServer[]): void;
  /** The variables of the user that a server does not get. */
  withheldFrom(server: McpServer): readonly string[];
  /** Writes the user's file. Throws sentences. */
  writeEnabled(name: string, isEnabled: boolean): void;
  /** A sentence on tools that this run does not allow, once for each server. */
  describeDenied(): string | undefined;
  /** A sentence on what rules name and no server has, once for each name. */
  describeRules(): Promise<string | undefined>;
  /** Sends a note to the model with the prompt that is about to be sent. */
  tellModel(note: string): void;
}

/** A shorter wait is not worth a line. */
const QUIET_MS = 1_000;
/** Ending a server that missed its limit takes a moment; then its failure is told instead of the wait. */
const ENDING_MS = 5_000;
/** Prompts and resources of servers that are ready are usually there at once. */
const OFFER_MS = 1_000;
const NEVER = new AbortController().signal;
/** Servers that are named while a prompt waits for them. */
const MOST_NAMES = 3;

export class McpServers {
  private readonly options: McpServersOptions;
  private hasWaited = false;
  private skipped: AbortController | undefined;
  /** By name, what the user switched in this session only. */
  private readonly switched = new Map<string, boolean>();
  /** Servers of the project that start once the user consents. */
  unsettled: readonly UnsettledServer[];

  constructor(options: McpServersOptions) {
    this.options = options;
    this.unsettled = options.unsettled;
  }

  get contents(): ServerContents {
    return this.options.manager.contents;
  }

  /** In the order of their names. */
  get states(): McpServerState[] {
    return this.options.manager.servers;
  }

  /** What announcing tools by name saves; undefined while all are declared. */
  get search(): SearchFigures | undefined {
    this.options.search.refresh();
    return this.options.search.figures();
  }

  /** The configuration of a server that runs. */
  configOf(name: string): McpServer | undefined {
    return this.options.manager.configOf(name);
  }

  /** The names of the user's variables that look like secrets and that a process does not get; empty for others. */
  withheldFrom(name: string): readonly string[] {
    const server = this.configOf(name);
    return server ? this.options.withheldFrom(server) : [];
  }

  /** What the prompt that runs waits for, in a line; undefined when it does not wait. */
  get wait(): string | undefined {
    if (!this.skipped) return undefined;
    const { states } = this;
    const late = states.filter(({ status }) => status === 'connecting').map(({ name }) => cleanLine(name, 100));
    if (late.length === 0) return undefined;
    const ready = states.filter(({ status }) => status === 'ready').length;
    const more = late.length > MOST_NAMES ? [`+${late.length - MOST_NAMES} more`] : [];
    const names = [...late.slice(0, MOST_NAMES), ...more].join(', ');
    return `Connecting to MCP servers... (${ready}/${ready + late.length}) - Waiting for: ${names}`;
  }

  /** Sends the waiting prompt without the servers that are late. False without a wait. */
  skipWait(): boolean {
    if (!this.skipped || this.skipped.signal.aborted || this.wait === undefined) return false;
    this.skipped.abort();
    return true;
  }

  /** Waits until the servers have connected and listed their prompts and resources, at most as long as a prompt. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.options.manager.settleOffers(this.limitMs(), signal);
  }

  /** Runs before the first request of a prompt; only the first waits, and the next after servers were started again. */
  readonly prepare = (signal: AbortSignal): AsyncGenerator<AgentEvent, void> => this.prepareOne(signal);

  private async *prepareOne(signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
    if (!this.hasWaited) yield* this.waitOnce(signal);
    const denied = signal.aborted ? undefined : this.options.describeDenied();
    if (denied !== undefined) yield notice('warning', denied);
    const misspelled = signal.aborted ? undefined : await this.options.describeRules();
    if (misspelled !== undefined) yield notice('warning', misspelled);
    const changed = this.contents.takeChanged();
    if (changed.length > 0 && !signal.aborted) {
      this.options.tellModel(
        `These resources of MCP servers have changed since they were read: ${changed.join(', ')}. Read them again with read_mcp_resource if they matter.`,
      );
    }
  }

  /** For the system prompt of a turn: the servers' instructions, and the tools that are not declared. */
  describeForModel(): string {
    this.options.search.refresh();
    const ready = this.states.filter(({ status }) => status === 'ready' || status === 'lost');
    return [describeInstructions(ready), this.options.search.describe()].filter((text) => text !== '').join('\n\n');
  }

  /** Connects again to one server or all, after reading the settings again. Resolves as `replace` does. */
  async reload(name?: string): Promise<void> {
    await this.replace((server) => name === undefined || server.name === name);
  }

  /** Starts servers of the project as the user has seen them, and records the consent. Throws file-system errors. */
  async consent(seen: readonly UnsettledServer[]): Promise<void> {
    this.options.recordConsent(seen.map(({ server }) => server));
    await this.replace(() => false);
  }

  /** Resolves as `replace` does. Throws an Error with a sentence. */
  async switch(name: string, isEnabled: boolean, { session = false } = {}): Promise<void> {
    if (session) this.switched.set(name.toLowerCase(), isEnabled);
    else {
      this.options.writeEnabled(name, isEnabled);
      this.switched.delete(name.toLowerCase());
    }
    await this.replace(() => false);
  }

  /** What is known of the sign-in of each running server. Nothing is sent. */
  listSignIns(): Promise<SignInState[]> {
    return this.options.manager.listSignIns();
  }

  /** Signs in to a server and connects to it again. Rejects as McpManager.signIn does. */
  signIn(name: string, ports: SignInPorts): Promise<SignInState> {
    return this.options.manager.signIn(name, ports);
  }

  rootsChanged(): void {
    this.options.manager.rootsChanged();
  }

  private limitMs(): number {
    const { promptWaitMs } = this.options;
    if (promptWaitMs !== undefined) return promptWaitMs;
    const [longest = 0] = this.longestStart(this.states.map(({ name }) => name));
    return longest + ENDING_MS;
  }

  /** The start limit of the slowest of these servers; empty if none runs. */
  private longestStart(names: readonly string[]): number[] {
    const limits = names.flatMap((name) => this.configOf(name)?.startLimitMs ?? []);
    return limits.length === 0 ? [] : [Math.max(...limits)];
  }

  /**
   * Resolves when the servers are ready, failed or gone. With a user, a server that is late is not waited for: the next
   * prompt does, as the first one did.
   */
  private async replace(restarts: (server: McpServer) => boolean): Promise<void> {
    const { manager, promptWaitMs } = this.options;
    const { servers, idle, unsettled } = this.options.select(this.switched);
    this.unsettled = unsettled;
    await manager.replace(servers, idle, restarts);
    this.hasWaited = false;
    await manager.settle(promptWaitMs === undefined ? this.limitMs() : Math.min(QUIET_MS, promptWaitMs), NEVER);
  }

  private async *waitOnce(outer: AbortSignal): AsyncGenerator<AgentEvent, void> {
    const { manager, showsWait } = this.options;
    const limitMs = this.limitMs();
    const skipped = new AbortController();
    const signal = AbortSignal.any([outer, skipped.signal]);
    this.skipped = skipped;
    try {
      const quiet = Math.min(QUIET_MS, limitMs);
      const late = await manager.settle(quiet, signal);
      if (late.length > 0 && limitMs > quiet && !signal.aborted && !showsWait) {
        const seconds = Math.ceil(Math.min(limitMs, ...this.longestStart(late)) / 1000);
        yield notice('info', `Waiting at most ${seconds} s for MCP servers: ${late.join(', ')}.`);
      }
      if (!signal.aborted) await manager.settle(Math.max(0, limitMs - quiet), signal);
      // Which tools the model has depends on resources: two runs must not differ by a race.
      if (!signal.aborted) await manager.settleReadyOffers(Math.min(OFFER_MS, limitMs), signal);
    } finally {
      this.skipped = undefined;
    }
    // A prompt that the user cancelled did not wait for long.
    this.hasWaited = !outer.aborted;
    const left = connectingServers(new Map(manager.servers.map((server) => [server.name, server])));
    if (left.length === 0 || outer.aborted) return;
    const message = `These MCP servers are still connecting; their tools are added when they are ready: ${left.join(', ')}.`;
    yield notice('warning', message);
  }
}

function notice(level: 'info' | 'warning', message: string): AgentEvent {
  return { type: 'notice', level, message };
}
