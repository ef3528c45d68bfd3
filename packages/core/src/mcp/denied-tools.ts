/**
 * DeniedTools: the tools of MCP servers that a run without a user does not offer, because it cannot ask about them. The user is told once
 * for each server, with the way to allow them.
 */

import type { DefinedTool } from '../protocol/tools.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import { countOf } from '../util/short-text.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { cleanLine } from './clean-text.ts';

export interface DeniedToolsOptions {
  /** Absent: every tool can be asked about. */
  isUnanswerable?: ((tool: DefinedTool) => boolean) | undefined;
  hints?: Pick<UserHints, 'allowServerTools'> | undefined;
}

export class DeniedTools {
  private readonly options: DeniedToolsOptions;
  private readonly tools = new Map<string, DefinedTool>();
  private readonly told = new Set<string>();

  constructor(options: DeniedToolsOptions) {
    this.options = options;
  }

  /** True, for chaining. */
  add(tool: DefinedTool): true {
    this.tools.set(tool.name, tool);
    return true;
  }

  /** True, for chaining. */
  delete(name: string): true {
    this.tools.delete(name);
    return true;
  }

  /** Undefined when nothing is denied, or every server was told before. */
  describeNew(): string | undefined {
    const { isUnanswerable, hints } = this.options;
    if (!isUnanswerable) return undefined;
    const counts = new Map<string, number>();
    for (const tool of this.tools.values()) {
      const name = tool.server?.name;
      if (name === undefined || this.told.has(name) || !isUnanswerable(tool)) continue;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (counts.size === 0) return undefined;
    const names = [...counts.keys()].toSorted();
    for (const name of names) this.told.add(name);
    const list = names.map((name) => `${cleanLine(name, 100)} (${countOf(counts.get(name)!, 'tool')})`).join(', ');
    const patterns = names.map((name) => `${name.startsWith('mcp_') ? '' : 'mcp_'}${cleanLine(name, 100)}_*`);
    return joinSentences(
      `Tools of MCP servers are not allowed in this run: ${list}.`,
      hints?.allowServerTools?.(patterns),
    );
  }
}
