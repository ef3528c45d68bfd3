/**
 * Reads which programs a folder would run if it were trusted: its MCP servers, and the commands of its hooks. It starts
 * nothing, and what it returns is what the user is shown and agrees to.
 */

import { describeServer, inspectHooks, loadConfiguration, serversOfProject } from '@castor/core/program';
import { toHookLayers, toMcpLayers } from '@castor/core/program';
import type { McpServer } from '@castor/core/program';

export interface FolderPrograms {
  readonly servers: readonly McpServer[];
  /** `Event: command`. */
  readonly hooks: readonly string[];
}

/** Undefined for unreadable settings, which may contain anything. */
export function readFolderPrograms(folder: string, home: string): FolderPrograms | undefined {
  try {
    // The address of a server may contain variables; a hook's command keeps them.
    const options = { home, cwd: folder, environment: process.env, platform: process.platform, isTrusted: true };
    const { layers } = loadConfiguration(options);
    const { hooks } = inspectHooks({ layers: toHookLayers(layers), root: folder, home });
    return {
      servers: serversOfProject(toMcpLayers(layers)),
      hooks: hooks.flatMap(({ source, event, command }) => (source === 'project' ? [`${event}: ${command}`] : [])),
    };
  } catch {
    // The next start reports the reason.
    return undefined;
  }
}

/** One line for each program. */
export function describePrograms({ servers, hooks }: FolderPrograms): string[] {
  return [
    ...servers.map((server) => `MCP server ${describeServer(server)}`),
    ...hooks.map((hook) => `hook at ${hook}`),
  ];
}
