/** Inspects the MCP servers of a project outside an agent, and records the user's consent to them. */

import { selectServers } from './select-servers.ts';
import type { McpServer } from './server-config.ts';
import { openServerConsent } from './server-consent.ts';
import type { McpLayer } from './server-layer.ts';

interface Folder {
  root: string;
  home: string;
}

/** The servers that a project has in these layers, also those that a list blocks. */
export function serversOfProject(layers: readonly McpLayer[]): McpServer[] {
  return selectServers(layers).servers.filter(({ source }) => source === 'project');
}

/** Consents to these servers of the project, and with `only` to no others. Throws file-system errors. */
export function consentToServers(folder: Folder, servers: readonly McpServer[], { only = false } = {}): void {
  const consent = openServerConsent(folder);
  if (only) consent.replace(servers);
  else consent.add(servers);
}
