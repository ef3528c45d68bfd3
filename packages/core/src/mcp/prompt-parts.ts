/**
 * Converts the messages of an MCP prompt to the parts of a user's prompt: all messages, roles and kinds of content,
 * between tags that name the server.
 */

import type { Part } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanContent, cleanLine } from './clean-text.ts';
import { BlockReader } from './content-blocks.ts';

const MAX_MESSAGES = 200;
const MAX_CHARACTERS = 200_000;

/** Throws an Error with a sentence when there is nothing to send. */
export function toPromptParts(server: string, prompt: string, messages: unknown): Part[] {
  const given: unknown[] = Array.isArray(messages) ? messages.slice(0, MAX_MESSAGES) : [];
  const reader = new BlockReader(`Prompt '${cleanLine(prompt, 200)}'`);
  const isDialogue = given.some((message) => isRecord(message) && message['role'] === 'assistant');
  const parts: Part[] = [];
  for (const message of given) {
    if (!isRecord(message)) continue;
    const { role, content } = message;
    if (isDialogue) parts.push({ text: `\n[${role === 'assistant' ? 'assistant' : 'user'}]\n` });
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    for (const block of blocks) parts.push(...readBlock(block, reader));
  }
  const size = parts.reduce((sum, { text = '' }) => sum + text.length, 0);
  if (size > MAX_CHARACTERS) throw new Error(`The prompt has ${size} characters; the limit is ${MAX_CHARACTERS}.`);
  const hasContent = parts.some(({ text, inlineData }) => inlineData !== undefined || (text?.trim() ?? '') !== '');
  if (!hasContent) throw new Error('The server returned an empty prompt.');
  const name = (text: string) => cleanLine(text, 200).replaceAll(/["<>&]/g, '_');
  return mergeTexts([
    { text: `<server_prompt server="${name(server)}" name="${name(prompt)}">\n` },
    ...parts.map((part) => (part.text === undefined ? part : { ...part, text: withoutTags(part.text) })),
    { text: '\n</server_prompt>' },
  ]);
}

/** The user asked for this prompt, so that its own words count as theirs; what is embedded stays data. */
function readBlock(block: unknown, reader: BlockReader): Part[] {
  if (typeof block === 'string') return [{ text: cleanContent(block) }];
  if (isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string') {
    return [{ text: `${cleanContent(block['text'])}\n` }];
  }
  return reader.read(block).parts.map((part) => (part.text === undefined ? part : { text: `${part.text}\n` }));
}

function withoutTags(text: string): string {
  return text.replaceAll(/<(?=\s{0,9}\/?\s{0,9}server_prompt\b)/gi, '&lt;');
}

function mergeTexts(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.text !== undefined && last?.text !== undefined) last.text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}
