/** Inspects the MCP servers of a folder outside an agent, and records the user's consent to those of a project. */

import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { selectServers } from './select-servers.ts';
import { ServerConsent } from './server-consent.ts';
import type { McpLayer } from './server-layer.ts';

/** Consents to exactly the servers that the project has in these layers. Throws file-system errors. */
export function consentToServers({ root, home }: { root: string; home: string }, layers: readonly McpLayer[]): void {
  const servers = selectServers(layers).servers.filter(({ source }) => source === 'project');
  new ServerConsent(join(userDirectory(home), 'trusted_mcp_servers.json'), root).consent(servers);
}

/** Consents to the entry of one server, which the user has just written. Throws file-system errors. */
export function consentToServer(
  { root, home }: { root: string; home: string },
  layers: readonly McpLayer[],
  name: string,
) {
  const server = selectServers(layers).servers.find((each) => each.name === name && each.source === 'project');
  if (server) new ServerConsent(join(userDirectory(home), 'trusted_mcp_servers.json'), root).add(server);
}
