/** Builds the names of MCP tools as the model and policies use them, and applies a server's own lists. Pure. */

import type { McpServer } from './server-config.ts';

const PREFIX = 'mcp_';
const MAX_LENGTH = 63;
const KEPT = 30;

/** `mcp_<server>_<tool>`; a longer name keeps its two ends. Two tools may get the same name. */
export function toToolName(server: string, tool: string): string {
  const name = `${server.startsWith(PREFIX) ? '' : PREFIX}${server}_${tool}`.replaceAll(/[^\w.:-]/g, '_');
  return name.length > MAX_LENGTH ? `${name.slice(0, KEPT)}...${name.slice(-KEPT)}` : name;
}

/** By the server's own names; `excludeTools` wins. An entry `tool(…)` of `includeTools` includes the tool. */
export function isToolWanted(tool: string, { includeTools, excludeTools }: McpServer): boolean {
  if (excludeTools.includes(tool)) return false;
  return includeTools?.some((entry) => entry === tool || entry.startsWith(`${tool}(`)) ?? true;
}
