/** Opens the MCP servers that the definition of a sub-agent names. */

import type { OpenedServers } from '../mcp/open-servers.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { EventInbox } from './event-inbox.ts';
import type { ParentParts } from './workspace-child.ts';
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
  { servers, file, source, owner }: LocalAgent,
  { workspace, tools, commands, inbox, generator, mainModel }: ServerPlace,
): Promise<OpenedServers | undefined> {
  if (Object.keys(servers).length === 0) return undefined;
  const layer = { source, file, servers, written: servers, ...(owner !== undefined && { owner }) };
  // A project's agent runs only once the user has acknowledged its file, servers included.
  const mcp = { ...options.mcp, layers: [layer], isAgreed: true };
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
