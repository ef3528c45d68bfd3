/** The MCP servers an editor gives with a session, as entries of settings.json. Pure. */

import type { McpServer } from '@agentclientprotocol/sdk';

export function toServerEntries(servers: readonly McpServer[], cwd: string): Record<string, unknown> {
  return Object.fromEntries(servers.map((server) => [server.name, toEntry(server, cwd)]));
}

function toEntry(server: McpServer, cwd: string): object {
  if ('type' in server) {
    const { type, url, headers } = server;
    return { type, url, headers: toTable(headers) };
  }
  const { command, args, env } = server;
  return { command, args, env: toTable(env), cwd };
}

function toTable(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
