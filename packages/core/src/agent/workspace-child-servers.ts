/** Opens the MCP servers that the definition of a sub-agent names. */

import type { OpenedServers } from '../mcp/open-servers.ts';
import type { McpLayer } from '../mcp/server-layer.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { EventInbox } from './event-inbox.ts';
import type { ParentParts } from './parent-parts.ts';
import { openWorkspaceServers } from './workspace-mcp.ts';
import type { WorkspaceShell } from './workspace-shell.ts';

export interface ServerPlace {
  workspace: Workspace;
  tools: ToolRegistry;
  commands: WorkspaceShell;
  inbox: EventInbox;
  generator: ContentGenerator;
  mainModel: string;
}

/** The servers of its own definition; they end with it. */
export async function openOwnServers(
  { options }: ParentParts,
  agent: LocalAgent,
  { workspace, tools, commands, inbox, generator, mainModel }: ServerPlace,
): Promise<OpenedServers | undefined> {
  if (Object.keys(agent.servers).length === 0) return undefined;
  const layer = await toLayer(agent, options);
  // A project's agent runs only once the user has acknowledged its file, servers included.
  const { admin, ...restrictions } = options.mcp?.restrictions ?? {};
  // Servers that the administrator requires run once, in the session.
  const ofAdmin = { ...admin, requiredConfig: {} };
  const mcp = { ...options.mcp, restrictions: { ...restrictions, admin: ofAdmin }, layers: [layer], isAgreed: true };
  return openWorkspaceServers(
    { ...options, mcp },
    {
      ...{ workspace, sources: [], tools, shell: commands.shell, generator },
      confine: commands.sandbox?.confine,
      mainModel: () => mainModel,
      tellModel: () => undefined,
      post: (event) => inbox.post(event),
    },
  );
}

/** The servers of an extension's agent receive the values of the extension's settings, as those of its manifest do. */
async function toLayer(
  { servers, file = '', source, owner }: LocalAgent,
  { environment, sourceValues = {} }: ParentParts['options'],
): Promise<McpLayer> {
  const layer = { source, file, servers, written: servers };
  if (owner === undefined) return layer;
  const { ofExtension } = await import('../mcp/server-manifests.ts');
  const place = { path: file, environment, values: sourceValues[owner] };
  return { ...layer, owner, servers: ofExtension(servers, place) };
}
