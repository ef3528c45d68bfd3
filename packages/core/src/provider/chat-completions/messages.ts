/**
 * Writes the turns of a conversation as Chat Completions messages. Pure: equal turns give equal bytes in every request,
 * which prompt caches require.
 */

import type { Content, FunctionCall, FunctionResponse, Part } from '../../protocol/content.ts';
import type { Origin } from '../../protocol/origin.ts';
import { describeCode, describeMedia, describeResult, imageIn, isPdf, toDataUrl } from '../wire/media-words.ts';
import { type OriginKey, ownOrigin } from '../wire/own-origin.ts';
import { spellCallId, spellName } from '../wire/spelling.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ChatQuirks } from './quirks.ts';
import type {
  ChatAssistantMessage,
  ChatContentPart,
  ChatMessage,
  ChatReasoning,
  ChatToolCall,
} from './request-types.ts';

export interface MessageOptions {
  quirks: ChatQuirks;
  origin: OriginKey;
  images: boolean;
  documents: boolean;
}

/** Stands between a tool's result and the user's words, where a server requires it. */
const BRIDGE: ChatMessage = { role: 'assistant', content: 'The results are in.' };
/** Gemini accepts this in place of a signature that a gateway has lost. */
const ANY_SIGNATURE = 'skip_thought_signature_validator';

/** The messages of one turn as JSON, separated by commas. */
export function writeMessages(content: Content, options: MessageOptions): string {
  const messages = content.role === 'model' ? assistantMessages(content, options) : userMessages(content, options);
  return messages.map(toWellFormedJson).join(',');
}

function assistantMessages(content: Content, options: MessageOptions): ChatAssistantMessage[] {
  const { quirks, origin: key } = options;
  const origin = ownOrigin(content, key);
  const parts = content.parts ?? [];
  const text = parts.map((part) => (part.thought ? '' : (part.text ?? describeCode(part) ?? ''))).join('');
  const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      // A message with calls alone has no content; an empty text is rejected by some templates.
      content: text === '' ? null : text,
      ...reasoningOf(origin, calls.length > 0, quirks),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call, index) => toToolCall(call, index === 0, origin, quirks)),
      }),
    },
  ];
}

/** What the server sent as reasoning, in the field it came in, where it must come back. */
function reasoningOf(origin: Origin | undefined, hasCalls: boolean, { reasoning }: ChatQuirks): ChatReasoning {
  const { field = 'reasoning_content', echo = 'never' } = reasoning ?? {};
  if (echo === 'never' || (echo === 'calls' && !hasCalls)) return {};
  const details = origin?.blocks?.find(({ type }) => type === 'details');
  if (details) return { reasoning_details: details['details'] };
  const block = origin?.blocks?.find(({ type }) => type === 'text');
  if (block) return { [String(block['field'])]: block['text'] };
  // A server that requires the field on every message takes an empty one for the turns of others.
  return echo === 'always' && field !== 'reasoning_details' ? { [field]: '' } : {};
}

function toToolCall(
  call: FunctionCall,
  isFirst: boolean,
  origin: Origin | undefined,
  quirks: ChatQuirks,
): ChatToolCall {
  const { id = '', name = '', args = {} } = call;
  const signature = origin?.calls?.[id]?.['signature'] ?? (isFirst ? ANY_SIGNATURE : undefined);
  return {
    id: spellCallId(id, quirks.callIdLength),
    type: 'function',
    function: { name: spellName(name), arguments: toWellFormedJson(args) },
    ...(quirks.extraContent &&
      signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

function userMessages(content: Content, options: MessageOptions): ChatMessage[] {
  const { quirks } = options;
  const parts = content.parts ?? [];
  const responses = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
  const results = responses.map((response) => toToolMessage(response, quirks));
  const shown = [
    ...responses.flatMap(({ name = '', parts: media = [] }) =>
      media.length === 0 ? [] : [{ text: `From ${spellName(name)}:` }, ...media],
    ),
    ...parts.filter((part) => !part.functionResponse && !part.thought),
  ];
  const user = toUserMessage(shown, options);
  if (!user) return results;
  return quirks.bridgeAfterTool && results.length > 0 ? [...results, BRIDGE, user] : [...results, user];
}

/** The content is always a text: Ollama loses the id of a message whose content is a list. */
function toToolMessage({ id = '', response }: FunctionResponse, quirks: ChatQuirks): ChatMessage {
  const { text, isError } = describeResult(response);
  return {
    role: 'tool',
    tool_call_id: spellCallId(id, quirks.callIdLength),
    content: isError ? `Error: ${text}` : text,
  };
}

function toUserMessage(parts: readonly Part[], options: MessageOptions): ChatMessage | undefined {
  const pieces = parts.map((part) => toPiece(part, options)).filter((piece) => piece !== undefined);
  if (pieces.length === 0) return undefined;
  // A text alone is a text: not every server reads lists.
  if (pieces.every((piece) => typeof piece === 'string')) return { role: 'user', content: pieces.join('\n') };
  const list = pieces.map((piece): ChatContentPart =>
    typeof piece === 'string' ? { type: 'text', text: piece } : piece,
  );
  return { role: 'user', content: list };
}

function toPiece(part: Part, { images, documents }: MessageOptions): string | ChatContentPart | undefined {
  if (part.text !== undefined) return part.text === '' ? undefined : part.text;
  const { inlineData } = part;
  if (inlineData && images && imageIn(part)) return { type: 'image_url', image_url: { url: toDataUrl(inlineData) } };
  if (inlineData && documents && isPdf(part)) {
    const filename = inlineData.displayName ?? 'document.pdf';
    return { type: 'file', file: { filename, file_data: toDataUrl(inlineData) } };
  }
  if (inlineData || part.fileData) return describeMedia(part);
  return describeCode(part);
}
