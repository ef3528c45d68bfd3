/**
 * Writes the turns of a conversation as Anthropic messages. Thinking of the same model goes back byte-equal and in its
 * place; thinking of any other model is left out. Pure: equal turns give equal bytes.
 */

import type { Content, FunctionResponse, Part } from '../../protocol/content.ts';
import type { OriginBlock } from '../../protocol/origin.ts';
import { describeCode, describeMedia, describeResult, imageIn, isPdf } from '../wire/media-words.ts';
import { type OriginKey, ownOrigin } from '../wire/own-origin.ts';
import { spellCallId, spellName } from '../wire/spelling.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { AnthropicCall, AnthropicInput, AnthropicResult, AnthropicText } from './request-types.ts';

export interface MessageOptions {
  origin: OriginKey;
  images: boolean;
  documents: boolean;
  /** Whether thinking may go back. */
  thinking: boolean;
}

/** A cache looks back this many blocks at most from a breakpoint. */
const LOOK_BACK = 18;
const BREAKPOINT = '"cache_control":{"type":"ephemeral"}';

/** One turn as JSON; empty for a turn without content. `isMarked` ends it with a cache breakpoint. */
export function writeMessage(content: Content, options: MessageOptions, isMarked = false): string {
  const isModel = content.role === 'model';
  const blocks = isModel ? assistantBlocks(content, options) : userBlocks(content, options);
  if (blocks.length === 0) return '';
  const written = isMarked ? blocks.map((block, index) => markAt(block, index, blocks.length)) : blocks;
  return `{"role":"${isModel ? 'assistant' : 'user'}","content":[${written.join(',')}]}`;
}

/** Whether a turn goes back with thinking of its own. */
export function hasOwnThinking(content: Content, origin: OriginKey): boolean {
  return (ownOrigin(content, origin)?.blocks?.length ?? 0) > 0;
}

/** The last block ends a cached prefix; in a long turn one in the middle keeps the distance short. */
function markAt(block: string, index: number, count: number): string {
  const isMiddle = count > LOOK_BACK && index === Math.floor(count / 2);
  return index === count - 1 || isMiddle ? `${block.slice(0, -1)},${BREAKPOINT}}` : block;
}

function assistantBlocks(content: Content, options: MessageOptions): string[] {
  const parts = (content.parts ?? []).filter(({ thought }) => !thought);
  const thinking = options.thinking ? (ownOrigin(content, options.origin)?.blocks ?? []) : [];
  // A signature covers the whole turn: not even a lone surrogate may be repaired.
  const write = thinking.length > 0 ? JSON.stringify : toWellFormedJson;
  const blocks: string[] = [];
  for (const [index, part] of parts.entries()) {
    blocks.push(...thinkingAt(thinking, index));
    const block = toAssistantBlock(part);
    if (block) blocks.push(write(block));
  }
  // A turn must not end with thinking; what stood last has nothing to stand in front of.
  return blocks;
}

/** Written without any repair: a signature covers every byte. */
function thinkingAt(blocks: readonly OriginBlock[], index: number): string[] {
  return blocks
    .filter(({ before }) => before === index)
    .map(({ type, text = '', signature, data }) =>
      JSON.stringify(
        type === 'redacted' ? { type: 'redacted_thinking', data } : { type: 'thinking', thinking: text, signature },
      ),
    );
}

function toAssistantBlock(part: Part): AnthropicText | AnthropicCall | undefined {
  const { functionCall } = part;
  if (functionCall) {
    const { id = '', name = '', args = {} } = functionCall;
    return { type: 'tool_use', id: spellCallId(id), name: spellName(name), input: args };
  }
  return textBlock(part.text ?? describeCode(part));
}

function userBlocks(content: Content, options: MessageOptions): string[] {
  const parts = content.parts ?? [];
  const results = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
  const others = parts.filter((part) => !part.functionResponse && !part.thought);
  return [
    ...results.map((response) => toResult(response, options)),
    ...others.map((part) => toUserBlock(part, options)).filter((block) => block !== undefined),
  ].map(toWellFormedJson);
}

function toResult(
  { id = '', response, parts: media = [] }: FunctionResponse,
  options: MessageOptions,
): AnthropicResult {
  const { text, isError } = describeResult(response);
  const shown = media.map((part) => toUserBlock(part, options)).filter((block) => block !== undefined);
  const words = textBlock(text);
  return {
    type: 'tool_result',
    tool_use_id: spellCallId(id),
    content: shown.length === 0 ? text : [...(words ? [words] : []), ...shown],
    ...(isError && { is_error: true }),
  };
}

function toUserBlock(part: Part, { images, documents }: MessageOptions): AnthropicInput | undefined {
  if (part.text !== undefined) return textBlock(part.text);
  const { inlineData } = part;
  const image = images ? imageIn(part) : undefined;
  if (image) return { type: 'image', source: { type: 'base64', media_type: image.type, data: image.data } };
  if (documents && isPdf(part)) {
    const source = { type: 'base64', media_type: 'application/pdf', data: inlineData?.data ?? '' } as const;
    return { type: 'document', source };
  }
  if (inlineData || part.fileData) return textBlock(describeMedia(part));
  return textBlock(describeCode(part));
}

/** A text of white space alone is rejected. */
function textBlock(text: string | undefined): AnthropicText | undefined {
  return text === undefined || text.trim() === '' ? undefined : { type: 'text', text };
}
