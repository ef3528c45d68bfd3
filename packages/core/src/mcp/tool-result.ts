/**
 * Converts the result of an MCP tool: to the parts the model reads, marked as untrusted, and to the text the user
 * sees.
 */

import type { ToolResult } from '../protocol/tools.ts';
import { wrapUntrusted } from '../tools/tool-output.ts';
import { isRecord } from '../util/is-record.ts';
import { shorten } from '../util/short-text.ts';
import { cleanLine } from './clean-text.ts';
import { BlockReader, note, textBlock } from './content-blocks.ts';
import { toStableJson } from './server-config.ts';

/** The result of `tools/call`, as received. */
export interface CallResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

const MAX_BLOCKS = 1_000;
const MAX_LINE = 1_000;
const MAX_SHOWN = 10_000;

export function toToolResult(tool: string, { content, structuredContent, isError }: CallResult): ToolResult {
  const given: unknown[] = Array.isArray(content) ? content : [];
  const reader = new BlockReader(`Tool '${cleanLine(tool, MAX_LINE)}'`);
  const blocks = given.slice(0, MAX_BLOCKS).map((block) => reader.read(block));
  if (given.length > MAX_BLOCKS) blocks.push(note(`[${given.length - MAX_BLOCKS} more content blocks were left out]`));
  // Servers repeat structured content as text for clients that do not read it.
  if (isRecord(structuredContent) && !given.some((block) => isRepeated(block, structuredContent))) {
    blocks.push(textBlock(JSON.stringify(structuredContent)));
  }
  if (!Array.isArray(content) && blocks.length === 0) return noContent(tool);
  const parts = blocks.flatMap((block) => block.parts);
  const llmContent = parts.length > 0 ? parts : [{ text: '[The tool returned no content]' }];
  const returnDisplay = blocks.map(({ shown }) => shown).join('\n');
  if (isError !== true && isError !== 'true') return { llmContent, returnDisplay };
  const said = blocks
    .map(({ shown }) => shown)
    .join('\n')
    .trim();
  const words = said === '' ? 'it gave no reason' : said;
  const what = `MCP tool '${tool}' reported an error:`;
  return {
    llmContent,
    returnDisplay: `${what} ${words}`,
    // The model reads the message; the words are the server's.
    error: { message: `${what}\n${wrapUntrusted(shorten(words, MAX_SHOWN))}`, type: 'mcp_tool_error' },
  };
}

/** Whether a text says the same as the structured content, in whatever order and spacing. */
function isRepeated(block: unknown, structured: Record<string, unknown>): boolean {
  if (!isRecord(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false;
  try {
    return toStableJson(JSON.parse(block['text'])) === toStableJson(structured);
  } catch {
    // Not JSON: it is another text.
    return false;
  }
}

function noContent(tool: string): ToolResult {
  const message = `The MCP server's answer for the tool '${tool}' has no content.`;
  return { llmContent: message, returnDisplay: message, error: { message, type: 'mcp_tool_error' } };
}
