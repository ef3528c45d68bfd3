/**
 * ToolSync: keeps the registry equal to what the connected servers list. A tool never takes the name of a built-in
 * tool or of another server's; one that cannot be offered is left out and named.
 */

import type { DefinedTool } from '../protocol/tools.ts';
import { cleanLine } from './clean-text.ts';
import type { ListedTool } from './listed-items.ts';
import { createMcpTool } from './mcp-tool.ts';
import type { CallServer } from './mcp-tool.ts';
import type { McpServer } from './server-config.ts';
import { isToolWanted } from './tool-name.ts';

/** The registry, as far as servers may use it. */
export interface ToolShelf {
  /** False when the name belongs to a tool of another origin. */
  register(tool: DefinedTool, origin: 'mcp'): boolean;
  unregister(name: string): boolean;
  /** Reports all changes of `work` as one. */
  together(work: () => void): void;
  /** What the registry gets instead of the tool itself. */
  wrap?(tool: DefinedTool): DefinedTool;
}

export interface SyncResult {
  /** Names as the model uses them. */
  tools: string[];
  /** One sentence per tool that is not offered. */
  leftOut: string[];
}

export class ToolSync {
  private readonly shelf: ToolShelf;
  /** The server of each registered name. */
  private readonly owners = new Map<string, string>();

  constructor(shelf: ToolShelf) {
    this.shelf = shelf;
  }

  /** Registers what is listed, replaces what changed, and removes the server's other tools. */
  apply(server: McpServer, listed: readonly ListedTool[], call: CallServer): SyncResult {
    const result: SyncResult = { tools: [], leftOut: [] };
    this.shelf.together(() => this.replace(server, listed, call, result));
    return result;
  }

  private replace(server: McpServer, listed: readonly ListedTool[], call: CallServer, result: SyncResult): void {
    const tools = new Set<string>();
    const fingerprints: Record<string, string> = {};
    for (const entry of listed) {
      if (entry.name === '') {
        result.leftOut.push(`A tool of the MCP server ${server.name} was left out: it has no name.`);
        continue;
      }
      if (!isToolWanted(entry.name, server)) continue;
      const refuse = (why: string) =>
        result.leftOut.push(
          `The tool ${cleanLine(entry.name, 200)} of the MCP server ${server.name} was left out: ${why}.`,
        );
      const tool = createMcpTool(entry, server, call, fingerprints);
      if (typeof tool === 'string') refuse(tool);
      else if (tools.has(tool.name)) refuse(`the server lists ${tool.name} twice`);
      else this.offer(tool, server.name, { tools, refuse, leftOut: result.leftOut });
    }
    this.removeAllBut(server.name, tools);
    result.tools.push(...[...tools].toSorted());
  }

  /** Removes the tools of a server. */
  remove(server: string): void {
    this.shelf.together(() => this.removeAllBut(server, new Set()));
  }

  private offer(
    tool: DefinedTool,
    server: string,
    { tools, refuse, leftOut }: { tools: Set<string>; refuse: (why: string) => void; leftOut: string[] },
  ): void {
    const owner = this.owners.get(tool.name);
    if (!this.put(tool, server)) return refuse(`the name ${tool.name} is taken`);
    tools.add(tool.name);
    if (owner !== undefined && owner !== server)
      leftOut.push(`The tool ${tool.name} of the MCP server ${owner} was left out: ${server} has a tool of this name.`);
  }

  private put(tool: DefinedTool, server: string): boolean {
    const owner = this.owners.get(tool.name);
    if (owner !== undefined && owner !== server && !precedes(server, owner)) return false;
    if (!this.shelf.register(this.shelf.wrap?.(tool) ?? tool, 'mcp')) return false;
    this.owners.set(tool.name, server);
    return true;
  }

  private removeAllBut(server: string, kept: ReadonlySet<string>): void {
    for (const [name, owner] of this.owners) {
      if (owner !== server || kept.has(name)) continue;
      this.owners.delete(name);
      this.shelf.unregister(name);
    }
  }
}

/**
 * Which of two servers has a name that both could have, such as `mcp_a_b_c`: the one with the longer name, whichever
 * connects first. So a rule for the name means the same tool in every run.
 */
function precedes(server: string, other: string): boolean {
  return server.length === other.length ? server < other : server.length > other.length;
}
