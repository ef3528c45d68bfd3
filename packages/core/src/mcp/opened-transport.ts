/** What a connection to an MCP server needs of its transport beside messages: its words on stderr, and its end. Types only. */

import type { RpcTransport } from './rpc-session.ts';
import type { McpServer } from './server-config.ts';

export interface OpenedTransport {
  transport: RpcTransport;
  /** The end of what the server wrote to stderr. */
  stderr(): string;
  /** Why the server has no valid credential, as a sentence. */
  signInProblem?(): string | undefined;
  /** Bytes on stdout that are not messages. */
  strayBytes?(): number;
  /** Ends processes that outlive the server. */
  endStrays?(): Promise<void>;
}

/** Opens the transports of a server in the order to try them. */
export type OpenTransport = (server: McpServer, attempt: 'first' | 'fallback') => Promise<OpenedTransport | undefined>;
