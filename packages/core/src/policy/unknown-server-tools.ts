/**
 * Finds the tools and servers of MCP that rules name and that do not exist: such a rule is probably misspelled and has no effect. A server
 * whose list is unknown gives no complaint, nor does an unknown server unless one of a similar name is configured.
 */

import { editDistance } from '../util/edit-distance.ts';
import { toMcpName } from './rule-matching.ts';
import type { PolicyRule } from './rule.ts';

export interface KnownServer {
  name: string;
  /** All tools that the server lists, offered or not; undefined while it is not connected. */
  tools?: readonly { readonly own: string; readonly called: string }[] | undefined;
}

/** Rules that answers of the user became: their tools existed. And lists of servers, whose names are checked where servers are chosen. */
const CHECKED_ELSEWHERE = /auto-saved\.toml$|^settings: mcp/;

export function isAboutServers({ kind, mcpName, toolName, subagent }: PolicyRule): boolean {
  // An agent may have servers of its own.
  return kind !== 'builtin' && subagent === undefined && (mcpName !== undefined || toolName.startsWith('mcp_'));
}

/** A few words for each name: `ehco of one (a.toml:2; did you mean echo?)`. */
export function findUnknownServerTools(rules: readonly PolicyRule[], servers: readonly KnownServer[]): string[] {
  const found = new Map<string, string>();
  for (const rule of rules) {
    const { name, line } = rule.source;
    if (!isAboutServers(rule) || CHECKED_ELSEWHERE.test(name)) continue;
    const unknown = rule.mcpName === undefined ? inCalledName(rule.toolName, servers) : inOwnName(rule, servers);
    if (!unknown || found.has(unknown.what)) continue;
    const meant = unknown.meant === undefined ? '' : `; did you mean ${unknown.meant}?`;
    found.set(unknown.what, `${unknown.what} (${line === undefined ? name : `${name}:${line}`}${meant})`);
  }
  return [...found.values()];
}

interface Unknown {
  what: string;
  meant?: string | undefined;
}

/** `mcpName` with the server's own name of the tool. */
function inOwnName({ mcpName = '*', toolName }: PolicyRule, servers: readonly KnownServer[]): Unknown | undefined {
  if (mcpName === '*') return undefined;
  const named = servers.filter(({ name }) => toMcpName(name) === toMcpName(mcpName));
  if (named.length === 0) {
    const meant = nearestOf(
      mcpName,
      servers.map(({ name }) => name),
    );
    return meant === undefined ? undefined : { what: `the server ${mcpName}`, meant };
  }
  const tools = listOf(named);
  if (toolName === '*' || tools === undefined) return undefined;
  const called = `mcp_${toMcpName(mcpName)}_${toMcpName(toolName)}`;
  if (tools.some((tool) => tool.own === toolName || tool.called === toolName || tool.called === called))
    return undefined;
  const meant = nearestOf(
    toolName,
    tools.map(({ own }) => own),
  );
  return { what: `${toolName} of ${mcpName}`, meant };
}

/** `mcp_<server>_<tool>`, or its beginning and `*`. */
function inCalledName(toolName: string, servers: readonly KnownServer[]): Unknown | undefined {
  if (toolName === 'mcp_*') return undefined;
  const isPattern = toolName.endsWith('*');
  const beginning = isPattern ? toolName.slice(0, -1) : toolName;
  const named = servers.filter(({ name }) => beginning.startsWith(prefixOf(name)));
  if (named.length === 0) {
    const names = servers.flatMap(({ name, tools = [] }) =>
      isPattern ? [`${prefixOf(name)}*`] : tools.map(({ called }) => called),
    );
    const meant = nearestOf(toolName, names);
    return meant === undefined ? undefined : { what: toolName, meant };
  }
  if (isPattern && named.some(({ name }) => prefixOf(name) === beginning)) return undefined;
  const names = listOf(named)?.map(({ called }) => called);
  if (names === undefined || names.some((each) => (isPattern ? each.startsWith(beginning) : each === toolName)))
    return undefined;
  return { what: toolName, meant: isPattern ? undefined : nearestOf(toolName, names) };
}

/** Undefined if the list of one of them is unknown. */
function listOf(servers: readonly KnownServer[]): NonNullable<KnownServer['tools']> | undefined {
  return servers.some(({ tools }) => tools === undefined) ? undefined : servers.flatMap(({ tools = [] }) => tools);
}

function prefixOf(server: string): string {
  return `${server.startsWith('mcp_') ? '' : 'mcp_'}${toMcpName(server)}_`;
}

function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
  }));
  const best = ranked.toSorted((left, right) => left.distance - right.distance)[0];
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}
