/**
 * ServerToolApprovals: binds the user's lasting answers about tools of MCP servers to the tools as they were. A tool
 * whose description or schema has changed since is asked about again. Saved answers are bound in
 * `~/.gemini/mcp_tool_approvals.json`.
 */

import { join } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ToolServer } from '../protocol/tools.ts';
import { isRecord } from '../util/is-record.ts';
import { readTextFile, replaceTextFile } from './policy-disk.ts';
import { SESSION_RULE_SOURCE } from './rule.ts';
import type { PolicyRule } from './rule.ts';
import { savedRulesPath } from './saved-rules.ts';

type Known = Record<string, Record<string, string>>;

export class ServerToolApprovals {
  private readonly home: string;
  private readonly path: string;
  private readonly session: Known = {};
  /** Read on first use. */
  private saved: Known | undefined;

  constructor(home: string) {
    this.home = home;
    this.path = join(home, '.gemini', 'mcp_tool_approvals.json');
  }

  /** A sentence on what changed since the answer that this rule stands for. */
  changeSince(server: ToolServer, rule: PolicyRule): string | undefined {
    const known = this.knownFor(rule);
    if (!known) return undefined;
    const before = ownValue(ownValue(known, server.name), server.tool);
    if (before === undefined) {
      if (known === this.session && rule.toolName === '*')
        return 'This tool is new since you allowed the tools of this server.';
      // A saved rule that is older than the record is bound when it is first used.
      this.bind(known, server);
      return undefined;
    }
    if (before === server.fingerprint) return undefined;
    const [description, schema] = server.fingerprint.split('.');
    const [oldDescription, oldSchema] = before.split('.');
    const parts = [
      ...(description === oldDescription ? [] : ['description']),
      ...(schema === oldSchema ? [] : ['schema']),
    ];
    return `The ${parts.join(' and ')} of this tool changed since you allowed it.`;
  }

  /**
   * An answer for the whole server is bound to all tools it has now. Returns a sentence when a saved answer could not be
   * bound: it then counts for this session.
   */
  remember(server: ToolServer, { isSaved, isForAll }: { isSaved: boolean; isForAll: boolean }): string | undefined {
    if (isForAll) this.session[server.name] = { ...this.session[server.name], ...server.fingerprints?.() };
    this.bind(this.session, server);
    if (!isSaved) return undefined;
    const saved = this.readSaved();
    this.bind(saved, server);
    try {
      replaceTextFile(this.path, `${JSON.stringify(saved, null, 2)}\n`);
      return undefined;
    } catch (error) {
      return `${this.path} could not be written: ${getErrorMessage(error)}`;
    }
  }

  /** Whether the rule stands for an answer of the user, which is bound to the tool as it was. */
  isAnswer({ source }: PolicyRule): boolean {
    return source.name === SESSION_RULE_SOURCE || source.name === savedRulesPath(this.home);
  }

  /** Undefined for rules that the user or the administrator wrote: they trust the server, whatever it changes. */
  private knownFor({ source }: PolicyRule): Known | undefined {
    if (source.name === SESSION_RULE_SOURCE) return this.session;
    return source.name === savedRulesPath(this.home) ? this.readSaved() : undefined;
  }

  private bind(known: Known, { name, tool, fingerprint }: ToolServer): void {
    known[name] = { ...known[name], [tool]: fingerprint };
  }

  private readSaved(): Known {
    this.saved ??= readKnown(this.path);
    return this.saved;
  }
}

/** Names are those of servers: one may be called like a member of every object. */
function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Without a readable record, every tool is bound to its next use. */
function readKnown(path: string): Known {
  try {
    const value: unknown = JSON.parse(readTextFile(path) ?? '{}');
    const entries = Object.entries(isRecord(value) ? value : {}).filter(([, tools]) => isRecord(tools));
    return Object.fromEntries(entries) as Known;
  } catch {
    // A damaged record must not stop the agent.
    return {};
  }
}
