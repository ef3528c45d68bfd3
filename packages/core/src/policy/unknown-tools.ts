/** Finds the tools that rules name and no tool is called: such a rule is probably misspelled and has no effect. */

import { BUILTIN_RULES } from './builtin-rules.ts';
import { READING_TOOLS } from './reading-tools.ts';
import type { PolicyRule } from './rule.ts';
import { editDistance } from '../util/edit-distance.ts';

/** Tools of Gemini CLI that rules may name although this program lacks them. */
const FOREIGN = ['save_memory', 'read_many_files', 'activate_skill', 'ask_user', 'web_fetch', 'search_file_content'];
/** Names that a server or a project chooses. */
const CHOSEN_ELSEWHERE = /[*?]|__|^mcp_|^discovered_tool_|^tracker_/;

/** One line for all, or none. */
export function describeUnknownTools(rules: readonly PolicyRule[], tools: readonly string[]): string[] {
  const known = [
    ...new Set([...tools, ...BUILTIN_RULES.map(({ toolName }) => toolName), ...READING_TOOLS, ...FOREIGN]),
  ];
  const unknown = new Map<string, string>();
  for (const { kind, toolName, mcpName, source } of rules) {
    if (kind === 'builtin' || mcpName !== undefined || CHOSEN_ELSEWHERE.test(toolName)) continue;
    if (known.includes(toolName) || unknown.has(toolName)) continue;
    const place = source.line === undefined ? source.name : `${source.name}:${source.line}`;
    const meant = nearestOf(toolName, known);
    unknown.set(toolName, `${toolName} (${place}${meant === undefined ? '' : `; did you mean ${meant}?`})`);
  }
  return unknown.size === 0
    ? []
    : [`rules name unknown tools, so they have no effect: ${[...unknown.values()].join(', ')}`];
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate) }));
  const best = ranked.toSorted((left, right) => left.distance - right.distance)[0];
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}
