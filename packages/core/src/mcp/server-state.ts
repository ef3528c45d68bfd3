/** The state of every MCP server, as a fold of events: for `/mcp`, `doctor` and the wait of a prompt. Pure. */

import type { IdleReason } from './select-servers.ts';

export type McpEvent = { readonly server: string; readonly at: number } & (
  | { readonly type: 'connecting' }
  | { readonly type: 'ready'; readonly instructions: string }
  /** The tools in effect; `leftOut` holds one sentence per tool that is not offered. */
  | { readonly type: 'listed'; readonly tools: readonly string[]; readonly leftOut: readonly string[] }
  /** `retriesInMs` absent: no further attempt follows by itself. */
  | {
      readonly type: 'failed';
      readonly error: string;
      readonly stderr: string;
      readonly retriesInMs?: number;
      readonly needsSignIn?: boolean;
    }
  | { readonly type: 'idle'; readonly reason: IdleReason | 'untrusted'; readonly message: string }
  | { readonly type: 'closed' }
);

export type McpStatus = 'connecting' | 'ready' | 'lost' | 'failed' | 'closed' | IdleReason | 'untrusted';

export interface McpServerState {
  readonly name: string;
  readonly status: McpStatus;
  /** How long the last connection took to be ready, tools included. */
  readonly connectMs?: number;
  /** When the current status began. */
  readonly since: number;
  readonly tools: readonly string[];
  readonly leftOut: readonly string[];
  readonly instructions: string;
  readonly lastError?: string;
  readonly stderr?: string;
  /** The server rejected the last connection for want of a valid credential. */
  readonly needsSignIn?: boolean;
  /** How often the server was connected to, this time included. */
  readonly attempts: number;
}

export type McpState = ReadonlyMap<string, McpServerState>;

export const NO_SERVERS: McpState = new Map();

/** Costs one entry per event; only servers are ever in the map. */
export function reduceMcp(state: McpState, event: McpEvent): McpState {
  const known = state.get(event.server) ?? {
    name: event.server,
    status: 'closed',
    since: event.at,
    tools: [],
    leftOut: [],
    instructions: '',
    attempts: 0,
  };
  return new Map(state).set(event.server, next(known, event));
}

function next(server: McpServerState, event: McpEvent): McpServerState {
  const { at } = event;
  switch (event.type) {
    case 'connecting':
      return { ...server, status: 'connecting', since: at, attempts: server.attempts + 1 };
    case 'ready':
      return {
        ...server,
        status: 'ready',
        since: at,
        connectMs: at - server.since,
        instructions: event.instructions,
        needsSignIn: false,
      };
    case 'listed':
      return { ...server, tools: event.tools, leftOut: event.leftOut };
    case 'failed': {
      const { error: lastError, stderr, retriesInMs, needsSignIn = false } = event;
      const status = retriesInMs === undefined ? 'failed' : 'lost';
      return { ...server, status, since: at, lastError, stderr, needsSignIn };
    }
    case 'idle':
      return { ...server, status: event.reason, since: at, lastError: event.message };
    case 'closed':
      return { ...server, status: 'closed', since: at, tools: [] };
    default:
      return event satisfies never;
  }
}

/** The servers a prompt may wait for. */
export function connectingServers(state: McpState): string[] {
  return [...state.values()].filter(({ status }) => status === 'connecting').map(({ name }) => name);
}
