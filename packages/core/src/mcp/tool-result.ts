/**
 * Converts the result of an MCP tool: to the parts the model reads, marked as untrusted, and to the text the user
 * sees. Everything in it is data of the server: cleaned, and media bounded.
 */

import type { Part } from '../protocol/content.ts';
import type { ToolResult } from '../protocol/tools.ts';
import { wrapUntrusted } from '../tools/tool-output.ts';
import { isRecord } from '../util/is-record.ts';
import { shorten } from '../util/short-text.ts';
import { cleanContent, cleanLine } from './clean-text.ts';

/** The result of `tools/call`, as received. */
export interface CallResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

/** Of all media in a result, in characters of base64. */
const MAX_MEDIA = 20 * 1024 * 1024;
const MAX_BLOCKS = 1_000;
const MAX_LINE = 1_000;
const MAX_SHOWN = 10_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const BASE64 = /^[\w+/=\s-]*$/;

interface Block {
  parts: Part[];
  shown: string;
}

export function toToolResult(tool: string, { content, structuredContent, isError }: CallResult): ToolResult {
  const given: unknown[] = Array.isArray(content) ? content : [];
  const reader = new BlockReader(cleanLine(tool, MAX_LINE));
  const blocks = given.slice(0, MAX_BLOCKS).map((block) => reader.read(block));
  if (given.length > MAX_BLOCKS) blocks.push(note(`[${given.length - MAX_BLOCKS} more content blocks were left out]`));
  // Servers repeat structured content as text for clients that do not read it.
  if (isRecord(structuredContent) && !given.some((block) => isRecord(block) && block['type'] === 'text')) {
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
  const message = `MCP tool '${tool}' reported an error: ${said === '' ? 'it gave no reason' : said}`;
  return {
    llmContent,
    returnDisplay: message,
    error: { message: shorten(message, MAX_SHOWN), type: 'mcp_tool_error' },
  };
}

function noContent(tool: string): ToolResult {
  const message = `The MCP server's answer for the tool '${tool}' has no content.`;
  return { llmContent: message, returnDisplay: message, error: { message, type: 'mcp_tool_error' } };
}

class BlockReader {
  private readonly tool: string;
  private media = 0;

  constructor(tool: string) {
    this.tool = tool;
  }

  read(block: unknown): Block {
    if (!isRecord(block)) return note('[A content block was left out: it is not an object]');
    const { type, text, data, mimeType, resource } = block;
    switch (type) {
      case 'text':
        return textBlock(typeof text === 'string' ? text : '');
      case 'image':
        return this.mediaBlock('image', data, mimeType, 'Image');
      case 'audio':
        return this.mediaBlock('audio', data, mimeType, 'Audio');
      case 'resource':
        return this.resourceBlock(isRecord(resource) ? resource : {});
      case 'resource_link':
        return linkBlock(block);
      default:
        return note(`[Unknown content type: ${cleanLine(String(type), 100)}]`);
    }
  }

  private resourceBlock({ text, blob, uri, mimeType }: Record<string, unknown>): Block {
    if (typeof text === 'string') return textBlock(text);
    const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
    if (typeof blob === 'string') return this.mediaBlock('resource', blob, type, 'Embedded Resource');
    return note(`[The resource ${cleanLine(String(uri), MAX_LINE)} has no content]`);
  }

  private mediaBlock(kind: string, data: unknown, mimeType: unknown, label: string): Block {
    const type = typeof mimeType === 'string' && MIME_TYPE.test(mimeType) ? mimeType : undefined;
    if (typeof data !== 'string' || type === undefined || !BASE64.test(data)) {
      return note(`[${label} left out: its data or its type is invalid]`);
    }
    this.media += data.length;
    if (this.media > MAX_MEDIA)
      return note(`[${label} of type ${type} left out: the media of this result is too large]`);
    const text = `[Tool '${this.tool}' provided the following ${kind} data with mime-type: ${type}]`;
    return { parts: [{ text }, { inlineData: { mimeType: type, data } }], shown: `[${label}: ${type}]` };
  }
}

function textBlock(text: string): Block {
  const clean = cleanContent(text);
  return { parts: [{ text: wrapUntrusted(clean) }], shown: clean };
}

function linkBlock({ title, name, uri, description }: Record<string, unknown>): Block {
  const label = cleanLine(String(title ?? name ?? uri), MAX_LINE);
  const address = cleanLine(String(uri), MAX_LINE);
  const about = typeof description === 'string' ? `: ${cleanLine(description, MAX_LINE)}` : '';
  const text = wrapUntrusted(`Resource Link: ${label} at ${address}${about}`);
  return { parts: [{ text }], shown: `[Link to ${label}: ${address}]` };
}

function note(text: string): Block {
  return { parts: [{ text }], shown: text };
}
