/** Finds out whether a workspace has MCP servers, and loads what opens them only where one is configured. */

import type { OpenedServers } from '../mcp/open-servers.ts';
import { hasMcpServers } from '../mcp/server-layer.ts';
import type { McpLayer } from '../mcp/server-layer.ts';
import type { ManifestOptions } from '../mcp/server-manifests.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';
import type { ServerSurroundings } from './workspace-servers.ts';

export async function openWorkspaceServers(
  options: ResolvedWorkspaceOptions,
  around: ServerSurroundings,
): Promise<OpenedServers | undefined> {
  const { mcp, environment, sourceValues: values } = options;
  const { sources, workspace } = around;
  const ofExtensions = await readManifests({ sources, root: workspace.root, environment, values });
  const isRequired = Object.keys(mcp?.restrictions?.admin?.requiredConfig ?? {}).length > 0;
  if (!isRequired && !hasMcpServers([...ofExtensions, ...(mcp?.layers ?? [])])) return undefined;
  const { startWorkspaceServers } = await import('./workspace-servers.ts');
  return startWorkspaceServers(options, around, ofExtensions);
}

async function readManifests(options: ManifestOptions): Promise<McpLayer[]> {
  if (!options.sources.some(({ kind }) => kind === 'extension')) return [];
  const { readMcpManifests } = await import('../mcp/server-manifests.ts');
  return readMcpManifests(options);
}
