/**
 * Turns the blocks of a prompt into a text that is read like any other prompt, and the parts that follow it: pictures,
 * sound and embedded resources. A link to a file becomes `@path`; the files themselves are read later. Pure.
 */

import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Part } from '@castor/core';

export interface PromptContent {
  /** The words of the user, with a reference in the place of each link. */
  readonly text: string;
  /** Absolute paths of linked files. */
  readonly files: readonly string[];
  /** Sent after the text, in their order. */
  readonly parts: readonly Part[];
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const OPENING = '\n--- Content from referenced context ---';
const CLOSING = '\n--- End of content ---';

/** Stands for the `@` of an embedded resource: its content is in the prompt, so that no file is looked for. */
const EMBEDDED = '\u{E000}';

/** A text that was read, as the user and the model see it. */
export function withSigns(text: string): string {
  return text.replaceAll(EMBEDDED, '@');
}

export function readBlocks(blocks: readonly ContentBlock[]): PromptContent {
  const words: Words[] = [];
  const files: string[] = [];
  const media: Part[] = [];
  const embedded: Part[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        words.push({ text: block.text });
        break;
      case 'image':
      case 'audio':
        media.push({ inlineData: { data: block.data, mimeType: block.mimeType } });
        break;
      case 'resource_link': {
        const path = toPath(block.uri);
        if (path !== undefined) files.push(path);
        words.push({ text: path === undefined ? `@${block.uri}` : toReference(path), isReference: true });
        break;
      }
      case 'resource': {
        const { resource } = block;
        words.push({ text: `${EMBEDDED}${shownName(resource.uri)}`, isReference: true });
        embedded.push({ text: `\nContent from @${shownName(resource.uri)}:\n` });
        if ('text' in resource) embedded.push({ text: resource.text });
        else
          embedded.push({
            inlineData: { data: resource.blob, mimeType: resource.mimeType ?? 'application/octet-stream' },
          });
        break;
      }
    }
  }
  const frame = embedded.length > 0 ? [{ text: OPENING }, ...embedded, { text: CLOSING }] : [];
  return { text: joinWords(words), files, parts: [...frame, ...media] };
}

/** What is wrong with a prompt that no model could read; undefined for a good one. */
export function problemOf(blocks: readonly ContentBlock[]): string | undefined {
  if (!blocks.some((block) => block.type !== 'text' || block.text.trim() !== '')) return 'The prompt is empty.';
  const index = blocks.findIndex((block) => {
    if (block.type === 'image' || block.type === 'audio') return !BASE64.test(block.data);
    return block.type === 'resource' && 'blob' in block.resource && !BASE64.test(block.resource.blob);
  });
  return index < 0 ? undefined : `Block ${index + 1} of the prompt (${blocks[index]!.type}) does not hold base64.`;
}

/** Undefined for anything but a file of this machine. A position after `#` belongs to the editor. */
function toPath(uri: string): string | undefined {
  if (uri.startsWith('/')) return uri;
  try {
    const url = new URL(uri);
    return url.protocol === 'file:' ? fileURLToPath(new URL(`file://${url.host}${url.pathname}`)) : undefined;
  } catch {
    return undefined;
  }
}

function shownName(uri: string): string {
  return toPath(uri) ?? uri;
}

/** As a user would type it. */
function toReference(path: string): string {
  return `@${path.replaceAll(/[\s,;!?()[\]{}\\"]/g, String.raw`\$&`)}`;
}

interface Words {
  readonly text: string;
  readonly isReference?: boolean;
}

/** Blocks are one text; a reference needs a space on both sides. */
function joinWords(words: readonly Words[]): string {
  let joined = '';
  for (const [index, { text, isReference = false }] of words.entries()) {
    const isBeside = isReference || words[index - 1]?.isReference === true;
    const isTouching = joined !== '' && !/\s$/.test(joined) && !/^[\s.,;:!?)]/.test(text);
    joined += isBeside && isTouching ? ` ${text}` : text;
  }
  return joined;
}
