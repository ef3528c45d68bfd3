/**
 * Opens the MCP servers of an agent: selects them, admits those of a trusted project, and starts them without waiting.
 * The first prompt waits for them; a server that is late or fails is told by name.
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { userDirectory } from '../config/paths.ts';
import type { AgentEvent, SessionEvent } from '../protocol/agent-events.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import { isRecord } from '../util/is-record.ts';
import { McpManager } from './mcp-manager.ts';
import type { McpOptions } from './mcp-options.ts';
import { createOpenTransport } from './open-transport.ts';
import type { TransportOptions } from './open-transport.ts';
import { selectServers } from './select-servers.ts';
import { admitServers, ServerConsent } from './server-consent.ts';
import { DEFAULT_START_LIMIT_MS } from './server-config.ts';
import type { McpLayer } from './server-layer.ts';
import type { McpEvent } from './server-state.ts';
import type { ToolShelf } from './tool-sync.ts';

export interface OpenServersOptions extends Omit<McpOptions, 'layers'>, TransportOptions {
  layers: readonly McpLayer[];
  home: string;
  tools: ToolShelf;
  trustedFolder: boolean | undefined;
  isTrustedForRun: boolean;
  hints?: UserHints | undefined;
  post(event: SessionEvent): void;
}

export interface OpenedServers {
  manager: McpManager;
  /** The wait of a prompt; only the first waits. */
  prepare(signal: AbortSignal): AsyncGenerator<AgentEvent, void>;
}

/** A shorter wait is not worth a line. */
const QUIET_MS = 1_000;

export function openServers(options: OpenServersOptions): OpenedServers {
  const { layers, home, root, tools, clock, post, hints, clientVersion = '0.0.0' } = options;
  const { trustedFolder, isTrustedForRun } = options;
  const warn = (message: string) => post({ type: 'notice', level: 'warning', message });
  const disabled = readDisabled(join(userDirectory(home), 'mcp-server-enablement.json'), warn);
  const selection = selectServers(layers, { ...options.restrictions, disabled });
  const admission = admitServers(selection.servers, {
    trustedFolder,
    isTrustedForRun,
    hint: hints?.trustServers,
    consent: () => new ServerConsent(join(userDirectory(home), 'trusted_mcp_servers.json'), realpathSync(root)),
  });
  for (const message of [...selection.warnings, ...admission.messages]) warn(message);
  for (const { reason, message } of selection.idle) if (reason === 'invalid') warn(message);
  const refused = admission.refused.map(({ server: { name }, message }) => ({
    name,
    reason: 'untrusted' as const,
    message,
  }));
  const manager = new McpManager({
    servers: admission.servers,
    idle: [...selection.idle, ...refused],
    tools,
    open: createOpenTransport(options),
    clientVersion,
    clock,
    openSignIns: async () => new (await import('./sign-in/sign-ins.ts')).SignIns(options),
    signInHint: hints?.signIn,
    onEvent: (event) => {
      for (const message of describeEvent(event)) warn(message);
    },
  });
  const longest = Math.max(DEFAULT_START_LIMIT_MS, ...admission.servers.map(({ startLimitMs }) => startLimitMs));
  manager.start();
  return { manager, prepare: createWait(manager, options.promptWaitMs ?? longest) };
}

/** One sentence for each failure and each tool that is left out. */
function describeEvent(event: McpEvent): readonly string[] {
  if (event.type === 'listed') return event.leftOut;
  if (event.type !== 'failed') return [];
  const { server, error, retriesInMs } = event;
  const what = retriesInMs === undefined ? 'is not available' : 'was lost and is reconnected';
  return [`The MCP server ${server} ${what}: ${error}`];
}

function createWait(manager: McpManager, limitMs: number): OpenedServers['prepare'] {
  let hasWaited = false;
  return async function* wait(signal): AsyncGenerator<AgentEvent, void> {
    if (hasWaited) return;
    const late = await manager.settle(Math.min(QUIET_MS, limitMs), signal);
    if (late.length > 0 && limitMs > QUIET_MS && !signal.aborted) {
      const seconds = Math.ceil(limitMs / 1000);
      yield notice('info', `Waiting at most ${seconds} s for MCP servers: ${late.join(', ')}.`);
    }
    const left = await manager.settle(Math.max(0, limitMs - QUIET_MS), signal);
    // A prompt that the user cancelled did not wait for long.
    hasWaited = !signal.aborted;
    if (left.length === 0 || signal.aborted) return;
    const message = `These MCP servers are still connecting; their tools are added when they are ready: ${left.join(', ')}.`;
    yield notice('warning', message);
  };
}

function notice(level: 'info' | 'warning', message: string): AgentEvent {
  return { type: 'notice', level, message };
}

/** `{ "<lower-case name>": { "enabled": false } }`; an unreadable file disables nothing. */
function readDisabled(path: string, warn: (message: string) => void): string[] {
  try {
    const entries = Object.entries(readSourceFile(path) ?? {});
    return entries.flatMap(([name, entry]) => (isRecord(entry) && entry['enabled'] === false ? [name] : []));
  } catch (error) {
    warn(`${getErrorMessage(error)} No MCP server is disabled.`);
    return [];
  }
}
