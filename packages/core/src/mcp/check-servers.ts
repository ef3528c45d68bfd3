/**
 * Connects to MCP servers outside an agent, side by side and within a limit, reports what became of each, and ends them
 * again. For `castor mcp list` and `doctor`.
 */

import { guardOwnChildren } from '../tools/own-children.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { McpManager } from './mcp-manager.ts';
import { createOpenTransport } from './open-transport.ts';
import type { TransportOptions } from './open-transport.ts';
import type { McpServer } from './server-config.ts';
import type { McpServerState } from './server-state.ts';
import { SignIns } from './sign-in/sign-ins.ts';
import type { SignInState } from './sign-in/sign-ins.ts';

export interface CheckServersOptions extends Omit<TransportOptions, 'clock' | 'guard'> {
  home: string;
  clientVersion: string;
  limitMs: number;
  signal: AbortSignal;
  signInHint?: ((server: string) => string) | undefined;
  clock?: Clock | undefined;
}

export interface CheckedServer {
  server: McpServer;
  /** `connecting` if the limit was reached. */
  state: McpServerState;
  signIn: SignInState;
}

/** In the order given. Resolves when every process has ended, also after an abort. */
export async function checkServers(
  servers: readonly McpServer[],
  options: CheckServersOptions,
): Promise<CheckedServer[]> {
  const { limitMs, signal, clientVersion, signInHint, clock = systemClock } = options;
  const children = guardOwnChildren();
  const manager = new McpManager({
    servers,
    idle: [],
    tools: new ToolRegistry(),
    open: createOpenTransport({ ...options, guard: children.guard, clock }),
    clientVersion,
    clock,
    signInHint,
  });
  try {
    await manager.settle(limitMs, signal);
    const states = new Map(manager.servers.map((state) => [state.name, state]));
    const signIns = new SignIns({ ...options, clock });
    return await Promise.all(
      servers.map(async (server) => ({
        server,
        state: states.get(server.name)!,
        signIn: await signIns.stateOf(server),
      })),
    );
  } finally {
    await manager.dispose();
    await children.end();
  }
}
