/** The options of MCP servers, as the caller of an agent passes them. Types only. */

import type { ServerRestrictions } from './select-servers.ts';
import type { OpenKeyring } from './sign-in/keyring.ts';
import type { McpLayer } from './server-layer.ts';

export interface McpOptions {
  /** From `toMcpLayers`. */
  layers: readonly McpLayer[];
  restrictions?: ServerRestrictions;
  /** The version servers are told. */
  clientVersion?: string;
  /**
   * How long the first prompt waits for servers that are still connecting. Default, and without a user always: as long
   * as the slowest may take.
   */
  promptWaitMs?: number | undefined;
  /** Opens the keyring of the system for the tokens of servers; absent: they are in a file. */
  openKeyring?: OpenKeyring | undefined;
}
