/** The options of MCP servers, as the caller of an agent passes them. Types only. */

import type { AskForServer } from '../protocol/server-questions.ts';
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
  /** Bytes of declarations above which tools are announced by name; 0: no limit. Default 8192. */
  toolBudget?: number | undefined;
  /** Asks the user what a server wants to know; absent: every question is declined. */
  ask?: AskForServer | undefined;
  /** Whether a surface shows the wait of the first prompt while it lasts; else it is told in a line. */
  showsWait?: boolean | undefined;
  /** Whether the user has agreed to the layers elsewhere; else a project's servers need a consent. Default false. */
  isAgreed?: boolean | undefined;
  /** Reads the layers again, for a reload. */
  reloadLayers?: (() => readonly McpLayer[]) | undefined;
}
