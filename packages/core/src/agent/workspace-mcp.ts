/** Opens the MCP servers of a workspace, and loads their room only where a server is configured. */

import type { OpenedServers } from '../mcp/open-servers.ts';
import type { ManifestOptions } from '../mcp/server-manifests.ts';
import { hasMcpServers } from '../mcp/server-layer.ts';
import type { McpLayer } from '../mcp/server-layer.ts';
import type { SessionEvent } from '../protocol/agent-events.ts';
import type { Source } from '../protocol/source.ts';
import type { ShellRunner } from '../tools/shell/shell-runner.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';

export interface ServerSurroundings {
  root: string;
  sources: readonly Source[];
  tools: ToolRegistry;
  shell: ShellRunner;
  post(event: SessionEvent): void;
}

export async function openWorkspaceServers(
  options: ResolvedWorkspaceOptions,
  { root, sources, tools, shell, post }: ServerSurroundings,
): Promise<OpenedServers | undefined> {
  const { mcp = { layers: [] }, environment, home, trustedFolder, isTrustedForRun = false, secrets } = options;
  const { serverCommand } = mcp.restrictions ?? {};
  const layers = [...(await readManifests({ sources, root, environment })), ...mcp.layers];
  if (!hasMcpServers(layers) && !serverCommand) return undefined;
  const { openServers } = await import('../mcp/open-servers.ts');
  return openServers({
    ...mcp,
    // Without a user to keep waiting, a run waits for every server.
    promptWaitMs: options.interactive === true ? mcp.promptWaitMs : undefined,
    layers,
    root,
    home,
    environment,
    secrets,
    redaction: options.redaction,
    guard: shell.guard,
    clock: options.clock ?? systemClock,
    tools,
    trustedFolder,
    isTrustedForRun,
    hints: options.hints,
    post,
  });
}

async function readManifests(options: ManifestOptions): Promise<McpLayer[]> {
  if (!options.sources.some(({ kind }) => kind === 'extension')) return [];
  const { readMcpManifests } = await import('../mcp/server-manifests.ts');
  return readMcpManifests(options);
}
