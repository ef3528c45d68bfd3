/**
 * Writes the names of MCP tools whose declarations are not sent, each with its first words, within a limit of bytes.
 * The more tools, the fewer words. Pure, and the same bytes for the same tools.
 */

import type { DefinedTool } from '../protocol/tools.ts';
import { shorten } from '../util/short-text.ts';
import { cleanLine } from './clean-text.ts';

/** Characters of a description, from the most generous to none. */
const LENGTHS = [80, 60, 45, 30, 20, 0] as const;

/** Lines by server, in the order of their names. */
export function writeToolIndex(tools: readonly DefinedTool[], limit: number): string {
  const groups = new Map<string, DefinedTool[]>();
  for (const tool of tools) {
    const server = tool.server?.name ?? '';
    groups.set(server, [...(groups.get(server) ?? []), tool]);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const length of LENGTHS) {
    const text = sorted.flatMap(([server, group]) => linesOf(server, group, length)).join('\n');
    if (Buffer.byteLength(text) <= limit) return text;
  }
  return sorted.map(([server, group]) => cutLine(server, group, Math.floor(limit / sorted.length))).join('\n');
}

function linesOf(server: string, tools: readonly DefinedTool[], length: number): string[] {
  const prefix = prefixOf(server, tools);
  const names = tools.map((tool) => shortName(tool, prefix));
  const heading = prefix === '' ? `${server}:` : `${prefix}* :`;
  if (length === 0) return [`${heading} ${names.join(', ')}`];
  return [
    heading,
    ...tools.map((tool, index) => {
      const words = shorten(firstSentence(tool), length);
      return words === '' ? `- ${names[index]}` : `- ${names[index]}: ${words}`;
    }),
  ];
}

/** Only as many names as fit, and how many are missing. */
function cutLine(server: string, tools: readonly DefinedTool[], limit: number): string {
  const prefix = prefixOf(server, tools);
  let line = prefix === '' ? `${server}:` : `${prefix}* :`;
  for (const [index, tool] of tools.entries()) {
    const rest = `, … ${tools.length - index} more`;
    const next = `${line}${index === 0 ? ' ' : ', '}${shortName(tool, prefix)}`;
    if (Buffer.byteLength(next + rest) > limit) return line + rest;
    line = next;
  }
  return line;
}

/** The common beginning of the names, written once; empty where a name lacks it. */
function prefixOf(server: string, tools: readonly DefinedTool[]): string {
  const prefix = `${server.startsWith('mcp_') ? '' : 'mcp_'}${server}_`.replaceAll(/[^\w.:-]/g, '_');
  return tools.every(({ name }) => name.startsWith(prefix)) ? prefix : '';
}

function shortName({ name }: DefinedTool, prefix: string): string {
  return name.slice(prefix.length);
}

/** The index is written before every turn. */
const sentences = new WeakMap<DefinedTool, string>();

function firstSentence(tool: DefinedTool): string {
  let sentence = sentences.get(tool);
  if (sentence === undefined) {
    const [line = ''] = tool.description.trim().split('\n', 1);
    sentence = cleanLine(/^.*?[.!?](?=\s|$)/.exec(line)?.[0].slice(0, -1) ?? line, LENGTHS[0]);
    sentences.set(tool, sentence);
  }
  return sentence;
}
