/**
 * Opens the MCP servers of an agent: selects them, admits those of a trusted project, and starts them without waiting.
 * A server that fails, and a tool that is left out, is told by name.
 */

import type { SessionEvent } from '../protocol/agent-events.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import { debugLogger } from '../util/debug-logger.ts';
import { cleanLine } from './clean-text.ts';
import { chooseServers } from './choose-servers.ts';
import type { ChosenServers } from './choose-servers.ts';
import { McpManager } from './mcp-manager.ts';
import type { McpOptions } from './mcp-options.ts';
import { McpServers } from './mcp-servers.ts';
import { DeniedTools } from './denied-tools.ts';
import { createOpenTransport } from './open-transport.ts';
import type { TransportOptions } from './open-transport.ts';
import { createResourceTools } from './resource-tools.ts';
import { readDisabledServers, writeServerEnabled } from './server-enablement.ts';
import { createServerEnvironment } from './server-environment.ts';
import { openServerConsent } from './server-consent.ts';
import type { McpLayer } from './server-layer.ts';
import type { ServerPorts } from './server-requests.ts';
import { toNamed } from './server-state.ts';
import type { McpEvent, NamedServer } from './server-state.ts';
import { ToolSearch } from './tool-search.ts';
import type { ToolSearchOptions } from './tool-search.ts';
import type { ToolShelf } from './tool-sync.ts';

export interface OpenServersOptions
  extends Omit<McpOptions, 'layers'>, TransportOptions, Omit<ServerPorts, 'tell' | 'ask'> {
  layers: readonly McpLayer[];
  home: string;
  tools: ToolShelf & ToolSearchOptions['shelf'];
  trustedFolder: boolean | undefined;
  isTrustedForRun: boolean;
  loadedBefore?: ToolSearchOptions['loadedBefore'];
  hints?: UserHints | undefined;
  /** Whether a tool is not offered because the run cannot ask about it. */
  isUnanswerable?: ((tool: DefinedTool) => boolean) | undefined;
  /** What rules name of these servers and none of them has, in a few words each. */
  checkRules?: ((servers: readonly NamedServer[]) => Promise<readonly string[]>) | undefined;
  tellModel(note: string): void;
  post(event: SessionEvent): void;
}

export interface OpenedServers {
  servers: McpServers;
  dispose(): Promise<void>;
}

const DEFAULT_TOOL_BUDGET = 8_192;
/** Characters of the names that rules get wrong. */
const MAX_UNKNOWN = 2_000;

export function openServers(options: OpenServersOptions): OpenedServers {
  const { home, tools, clock, post, clientVersion = '0.0.0', toolBudget = DEFAULT_TOOL_BUDGET } = options;
  const tell = (level: 'info' | 'warning', message: string) => post({ type: 'notice', level, message });
  const select = createSelect(options, (message) => tell('warning', message));
  const chosen = select(new Map(), options.layers);
  const told = new Set<string>();
  const search = new ToolSearch({ shelf: tools, budget: toolBudget, loadedBefore: options.loadedBefore });
  const denied = new DeniedTools(options);
  let offerResources = () => {};
  const manager = new McpManager({
    servers: chosen.servers,
    idle: chosen.idle,
    tools: {
      register: (tool, origin) => tools.register(tool, origin) && denied.add(tool),
      unregister: (name) => denied.delete(name) && tools.unregister(name),
      together: (work) => tools.together(work),
      wrap: (tool) => search.guard(tool),
    },
    open: createOpenTransport(options),
    ports: { roots: options.roots, ask: options.ask, sample: options.sample, tell },
    clientVersion,
    clock,
    openSignIns: async () => new (await import('./sign-in/sign-ins.ts')).SignIns(options),
    signInHint: options.hints?.signIn,
    onEvent: (event) => {
      for (const message of describeEvent(event)) if (isNews(message, told)) tell('warning', message);
      if (event.type === 'logged') debugLogger.log(`MCP server ${event.server}: ${event.text}`);
      offerResources();
    },
  });
  offerResources = createResourceOffer(manager, tools);
  manager.start();
  const servers = new McpServers({
    manager,
    search,
    promptWaitMs: options.promptWaitMs,
    showsWait: options.showsWait ?? false,
    unsettled: chosen.unsettled,
    recordConsent: (agreed) => openServerConsent(options).add(agreed),
    select: (switched) => select(switched, options.reloadLayers?.() ?? options.layers),
    writeEnabled: (name, isEnabled) => writeServerEnabled(home, name, isEnabled),
    tellModel: options.tellModel,
    describeDenied: () => denied.describeNew(),
    describeRules: async () => {
      const unknown = (await options.checkRules?.(manager.servers.map(toNamed))) ?? [];
      return describeUnknown(unknown.filter((name) => isNews(name, told)));
    },
    withheldFrom: ({ address }) =>
      address.kind === 'stdio'
        ? createServerEnvironment({ ...options, base: options.environment, env: address.env }).withheld
        : [],
  });
  return { servers, dispose: () => manager.dispose() };
}

type Select = (switched: ReadonlyMap<string, boolean>, layers: readonly McpLayer[]) => ChosenServers;

/** Each sentence is told once, however often servers are selected. */
function createSelect(options: OpenServersOptions, tell: (message: string) => void): Select {
  const { home } = options;
  const told = new Set<string>();
  const warn = (message: string) => {
    if (isNews(message, told)) tell(message);
  };
  return (switched, layers) => {
    const off = new Set(readDisabled(home, warn));
    for (const [name, isEnabled] of switched) {
      if (isEnabled) off.delete(name);
      else off.add(name);
    }
    const { trustServers: hint, startServers: trustHint } = options.hints ?? {};
    const chosen = chooseServers(layers, [...off], { ...options, hint, trustHint });
    for (const message of chosen.warnings) warn(message);
    return chosen;
  };
}

/** The tools for resources exist while a server has any. */
function createResourceOffer(manager: McpManager, tools: ToolSearchOptions['shelf']): () => void {
  let offered: readonly DefinedTool[] = [];
  return () => {
    const states = manager.servers;
    const isWanted = states.some(({ resources, templates }) => resources.length + templates.length > 0);
    if (isWanted === offered.length > 0) return;
    for (const { name } of offered) tools.unregister(name);
    offered = [];
    if (!isWanted) return;
    offered = createResourceTools({
      contents: manager.contents,
      states: () => manager.servers,
      isTrusted: (name) => manager.configOf(name)?.trust === true,
    });
    for (const tool of offered) tools.register(tool, 'builtin');
  };
}

/** One sentence for each failure and each tool that is left out. */
function describeEvent(event: McpEvent): readonly string[] {
  if (event.type === 'listed') return event.leftOut;
  if (event.type !== 'failed') return [];
  const { server, error, retriesInMs } = event;
  const what = retriesInMs === undefined ? 'is not available' : 'was lost and is reconnected';
  return [`The MCP server ${server} ${what}: ${error}`];
}

/** One sentence for all names, or none. */
function describeUnknown(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return `Rules name unknown tools or servers of MCP, so they have no effect: ${cleanLine(names.join(', '), MAX_UNKNOWN)}.`;
}

function isNews(message: string, told: Set<string>): boolean {
  const isKnown = told.has(message);
  told.add(message);
  return !isKnown;
}

/** An unreadable file disables nothing. */
function readDisabled(home: string, warn: (message: string) => void): string[] {
  try {
    return readDisabledServers(home);
  } catch (error) {
    warn(`${getErrorMessage(error)} No MCP server is disabled.`);
    return [];
  }
}
