/** The options of MCP servers, as the caller of an agent passes them. Types only. */

import type { ServerRestrictions } from './select-servers.ts';
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
}
