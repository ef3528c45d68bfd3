/** The state of every MCP server, as a fold of events: for `/mcp`, `doctor` and the wait of a prompt. Pure. */

import type { ListedPrompt, ListedResource, ListedTemplate } from './listed-items.ts';
import type { IdleReason } from './select-servers.ts';
import { toToolName } from './tool-name.ts';

export type McpEvent = { readonly server: string; readonly at: number } & (
  | { readonly type: 'connecting' }
  | { readonly type: 'ready'; readonly instructions: string; readonly isFallback?: boolean }
  /** The tools in effect; `leftOut` holds one sentence per tool that is not offered. */
  | {
      readonly type: 'listed';
      readonly tools: readonly string[];
      readonly leftOut: readonly string[];
      readonly ownNames?: readonly string[] | undefined;
    }
  /** What else the server offers; an absent list stays as it was. */
  | ({ readonly type: 'offered' } & Partial<ServerOffer>)
  /** A resource that was subscribed to has changed. */
  | { readonly type: 'updated'; readonly uri: string }
  /** A line the server logged. */
  | { readonly type: 'logged'; readonly text: string }
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
  /** The server is no longer configured. */
  | { readonly type: 'removed' }
);

export type McpStatus = 'connecting' | 'ready' | 'lost' | 'failed' | 'closed' | IdleReason | 'untrusted';

/** A server, and its tools by their own names and as the model calls them; undefined where they are unknown. */
export interface NamedServer {
  readonly name: string;
  readonly tools: readonly { readonly own: string; readonly called: string }[] | undefined;
}

/** What a server offers beside tools. */
export interface ServerOffer {
  readonly prompts: readonly ListedPrompt[];
  readonly resources: readonly ListedResource[];
  readonly templates: readonly ListedTemplate[];
}

/** Lines of a server's log that are kept. */
const MAX_LOG = 20;

export interface McpServerState extends ServerOffer {
  readonly name: string;
  readonly status: McpStatus;
  /** How long the last connection took to be ready, tools included. */
  readonly connectMs?: number;
  /** When the current status began. */
  readonly since: number;
  readonly tools: readonly string[];
  readonly leftOut: readonly string[];
  /** The server's own names of all tools it lists, offered or not; undefined if the list is not whole. */
  readonly ownNames?: readonly string[] | undefined;
  readonly instructions: string;
  /** The last lines the server logged. */
  readonly log: readonly string[];
  readonly lastError?: string;
  readonly stderr?: string;
  /** The server rejected the last connection for want of a valid credential. */
  readonly needsSignIn?: boolean;
  /** The connection uses SSE, because streamable HTTP failed. */
  readonly isFallback?: boolean;
  /** How often the server was connected to, this time included. */
  readonly attempts: number;
}

export type McpState = ReadonlyMap<string, McpServerState>;

export const NO_SERVERS: McpState = new Map();

const NOTHING = { tools: [], leftOut: [], prompts: [], resources: [], templates: [] } as const;

/** Costs one entry per event; only servers are ever in the map. */
export function reduceMcp(state: McpState, event: McpEvent): McpState {
  const known = state.get(event.server) ?? {
    name: event.server,
    status: 'closed',
    since: event.at,
    tools: [],
    leftOut: [],
    instructions: '',
    prompts: [],
    resources: [],
    templates: [],
    log: [],
    attempts: 0,
  };
  const states = new Map(state);
  if (event.type === 'removed') states.delete(event.server);
  else states.set(event.server, next(known, event));
  return states;
}

function next(server: McpServerState, event: Exclude<McpEvent, { type: 'removed' }>): McpServerState {
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
        isFallback: event.isFallback ?? false,
        needsSignIn: false,
      };
    case 'listed':
      return { ...server, tools: event.tools, leftOut: event.leftOut, ownNames: event.ownNames };
    case 'offered': {
      const { prompts = server.prompts, resources = server.resources, templates = server.templates } = event;
      return { ...server, prompts, resources, templates };
    }
    case 'updated':
      return server;
    case 'logged':
      return { ...server, log: [...server.log, event.text].slice(-MAX_LOG) };
    case 'failed': {
      const { error: lastError, stderr, retriesInMs, needsSignIn = false } = event;
      const status = retriesInMs === undefined ? 'failed' : 'lost';
      return { ...server, status, since: at, lastError, stderr, needsSignIn };
    }
    case 'idle':
      return { ...server, ...NOTHING, status: event.reason, since: at, lastError: event.message };
    case 'closed':
      return { ...server, ...NOTHING, status: 'closed', since: at };
    default:
      return event satisfies never;
  }
}

/** What a rule can name of a server: its tools, where they are known. */
export function toNamed({ name, status, ownNames }: McpServerState): NamedServer {
  const tools = status === 'ready' ? ownNames?.map((own) => ({ own, called: toToolName(name, own) })) : undefined;
  return { name, tools };
}

/** The servers a prompt may wait for. */
export function connectingServers(state: McpState): string[] {
  return [...state.values()].filter(({ status }) => status === 'connecting').map(({ name }) => name);
}
