/**
 * Reads content blocks of an MCP server, of results, prompts and resources: as parts for the model, texts marked as
 * untrusted, and as text for the user. Everything in them is data of the server: cleaned, and media bounded.
 */

import type { Part } from '../protocol/content.ts';
import { wrapUntrusted } from '../tools/tool-output.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanContent, cleanLine } from './clean-text.ts';

/** Of all media in a result, in characters of base64. */
const MAX_MEDIA = 20 * 1024 * 1024;
const MAX_LINE = 1_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const BASE64 = /^[\w+/=\s-]*$/;
/** The kinds that models read: any other makes a model API refuse the request, and every later one of the session. */
const SEEN =
  /^(?:image\/(?:png|jpe?g|webp|gif|heic|heif)|audio\/(?:x-)?(?:wav|wave|mp3|mpeg|mp4|aac|aiff|ogg|opus|flac|m4a|pcm|l16|webm)|video\/[\w.+-]+|application\/pdf)$/i;

export interface Block {
  parts: Part[];
  shown: string;
}

export class BlockReader {
  private readonly owner: string;
  private media = 0;

  /** `owner` is what the blocks belong to, such as `Tool 'read'`. */
  constructor(owner: string) {
    this.owner = owner;
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

  /** A document of `resources/read`: data that no model reads is only described. */
  readDocument(content: unknown): Block {
    if (!isRecord(content)) return note('[A content was left out: it is not an object]');
    const { text, blob, mimeType } = content;
    if (typeof text === 'string' || typeof blob !== 'string') return this.resourceBlock(content);
    const type = typeof mimeType === 'string' && MIME_TYPE.test(mimeType) ? mimeType : 'application/octet-stream';
    if (SEEN.test(type)) return this.resourceBlock({ ...content, mimeType: type });
    return note(`[Binary resource content ${type}, ${Math.floor((blob.replace(/[=\s]+$/, '').length * 3) / 4)} bytes]`);
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
    const isSeen = SEEN.test(type) || (kind === 'resource' && !/^(?:image|audio)\//i.test(type));
    if (!isSeen) return note(`[${label} of type ${type} left out: models do not read this type]`);
    this.media += data.length;
    if (this.media > MAX_MEDIA)
      return note(`[${label} of type ${type} left out: the media of this result is too large]`);
    const text = `[${this.owner} provided the following ${kind} data with mime-type: ${type}]`;
    return { parts: [{ text }, { inlineData: { mimeType: type, data } }], shown: `[${label}: ${type}]` };
  }
}

export function textBlock(text: string): Block {
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

export function note(text: string): Block {
  return { parts: [{ text }], shown: text };
}
