/** Writes the turns of a conversation as Ollama messages. Pure: equal turns give equal bytes. */

import type { Content, FunctionCall, FunctionResponse, Part } from '../../protocol/content.ts';
import { describeCode, describeMedia, describeResult, imageIn } from '../wire/media-words.ts';
import { type OriginKey, ownOrigin } from '../wire/own-origin.ts';
import { spellCallId, spellName } from '../wire/spelling.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';

export interface MessageOptions {
  origin: OriginKey;
  images: boolean;
}

type Message = Record<string, unknown>;

/** The messages of one turn as JSON, separated by commas. */
export function writeMessages(content: Content, options: MessageOptions): string {
  const messages = content.role === 'model' ? assistantMessages(content, options) : userMessages(content, options);
  return messages.map(toWellFormedJson).join(',');
}

function assistantMessages(content: Content, options: MessageOptions): Message[] {
  const parts = (content.parts ?? []).filter(({ thought }) => !thought);
  const text = parts.map((part) => part.text ?? describeCode(part) ?? '').join('');
  const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  if (text === '' && calls.length === 0) return [];
  const thinking = ownOrigin(content, options.origin)?.blocks?.find(({ type }) => type === 'text')?.['text'];
  return [
    {
      role: 'assistant',
      content: text,
      // Templates read it in the loop of calls that it led to.
      ...(thinking !== undefined && calls.length > 0 && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
    },
  ];
}

function toToolCall({ id = '', name = '', args = {} }: FunctionCall, index: number): Message {
  return { id: spellCallId(id), function: { index, name: spellName(name), arguments: args } };
}

function userMessages(content: Content, options: MessageOptions): Message[] {
  const parts = content.parts ?? [];
  const responses = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
  const media = responses.flatMap(({ name = '', parts: shown = [] }) =>
    shown.length === 0 ? [] : [{ text: `From ${spellName(name)}:` }, ...shown],
  );
  const user = toUserMessage([...media, ...parts.filter((part) => !part.functionResponse && !part.thought)], options);
  return [...responses.map(toToolMessage), ...(user ? [user] : [])];
}

function toToolMessage({ id = '', name = '', response }: FunctionResponse): Message {
  const { text, isError } = describeResult(response);
  return {
    role: 'tool',
    tool_name: spellName(name),
    tool_call_id: spellCallId(id),
    content: isError ? `Error: ${text}` : text,
  };
}

function toUserMessage(parts: readonly Part[], { images: sees }: MessageOptions): Message | undefined {
  const images = sees ? parts.flatMap((part) => imageIn(part)?.data ?? []) : [];
  const words = parts
    .filter((part) => !(sees && imageIn(part)))
    .map((part) => part.text ?? (part.inlineData || part.fileData ? describeMedia(part) : describeCode(part)) ?? '')
    .filter((text) => text !== '');
  if (words.length === 0 && images.length === 0) return undefined;
  return { role: 'user', content: words.join('\n'), ...(images.length > 0 && { images }) };
}
