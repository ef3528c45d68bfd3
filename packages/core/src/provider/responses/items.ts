/**
 * Writes the turns of a conversation as input items of the Responses API. Reasoning and the ids of items go back together
 * or not at all: an item that names reasoning which is not there is rejected. Pure: equal turns give equal bytes.
 */

import type { Content, FunctionResponse, FunctionResponsePart, Part } from '../../protocol/content.ts';
import type { Origin, OriginBlock } from '../../protocol/origin.ts';
import { describeCode, describeMedia, describeResult, imageIn, isPdf, toDataUrl } from '../wire/media-words.ts';
import { type OriginKey, ownOrigin } from '../wire/own-origin.ts';
import { spellCallId, spellName } from '../wire/spelling.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ResponsesAnswer, ResponsesCall, ResponsesInput, ResponsesItem, ResponsesPhase } from './request-types.ts';

export interface ItemOptions {
  origin: OriginKey;
  images: boolean;
  documents: boolean;
  /** Whether reasoning and ids may go back. */
  state: boolean;
}

/** The items of one turn as JSON, separated by commas. */
export function writeItems(content: Content, options: ItemOptions): string {
  const items = content.role === 'model' ? modelItems(content, options) : userItems(content, options);
  return items.join(',');
}

function modelItems(content: Content, options: ItemOptions): string[] {
  const origin = options.state ? ownOrigin(content, options.origin) : undefined;
  const parts = (content.parts ?? []).filter(({ thought }) => !thought);
  return parts.flatMap((part, index) => {
    const item = toModelItem(part, index, origin);
    // Reasoning stands in front of what it led to, or nowhere.
    return item ? [...reasoningAt(origin, index), toWellFormedJson(item)] : [];
  });
}

/** Written without any repair: it is encrypted. */
function reasoningAt(origin: Origin | undefined, index: number): string[] {
  const blocks = origin?.blocks?.filter(({ before, type }) => before === index && type === 'reasoning') ?? [];
  return blocks.map(({ id, summary = [], encrypted_content: encrypted }) =>
    JSON.stringify({ type: 'reasoning', id, summary, encrypted_content: encrypted }),
  );
}

function toModelItem(
  part: Part,
  index: number,
  origin: Origin | undefined,
): ResponsesAnswer | ResponsesCall | undefined {
  const { functionCall } = part;
  if (functionCall) {
    const { id = '', name = '', args = {} } = functionCall;
    const itemId = origin?.calls?.[id]?.['itemId'];
    return {
      type: 'function_call',
      ...(typeof itemId === 'string' && { id: itemId }),
      call_id: spellCallId(id),
      name: spellName(name),
      arguments: toWellFormedJson(args),
    };
  }
  const text = part.text ?? describeCode(part) ?? '';
  if (text === '') return undefined;
  const { id, phase } = messageAt(origin, index);
  if (typeof id !== 'string') return { type: 'message', role: 'assistant', content: text };
  return {
    type: 'message',
    id,
    status: 'completed',
    role: 'assistant',
    ...(typeof phase === 'string' && { phase: phase as ResponsesPhase }),
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function messageAt(origin: Origin | undefined, index: number): Partial<OriginBlock> {
  return origin?.blocks?.find(({ before, type }) => before === index && type === 'message') ?? {};
}

function userItems(content: Content, options: ItemOptions): string[] {
  const parts = content.parts ?? [];
  const results = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
  const shown = parts
    .filter((part) => !part.functionResponse && !part.thought)
    .map((part) => toInput(part, options))
    .filter((item) => item !== undefined);
  const items: ResponsesItem[] = results.map((response) => toOutput(response, options));
  if (shown.length > 0) items.push({ type: 'message', role: 'user', content: shown });
  return items.map(toWellFormedJson);
}

function toOutput({ id = '', response, parts: media = [] }: FunctionResponse, options: ItemOptions): ResponsesItem {
  const { text, isError } = describeResult(response);
  const words = isError ? `Error: ${text}` : text;
  const shown = media.map((part) => toInput(part, options)).filter((item) => item !== undefined);
  const said: ResponsesInput = { type: 'input_text', text: words };
  const output = shown.length === 0 ? words : [said, ...shown];
  return { type: 'function_call_output', call_id: spellCallId(id), output };
}

function toInput(part: Part | FunctionResponsePart, { images, documents }: ItemOptions): ResponsesInput | undefined {
  const { text, inlineData, fileData }: Part = part;
  if (text !== undefined) return text === '' ? undefined : { type: 'input_text', text };
  if (inlineData && images && imageIn(part)) {
    return { type: 'input_image', image_url: toDataUrl(inlineData), detail: 'auto' };
  }
  if (inlineData && documents && isPdf(part)) {
    const filename = inlineData.displayName ?? 'document.pdf';
    return { type: 'input_file', filename, file_data: toDataUrl(inlineData) };
  }
  const words = inlineData || fileData ? describeMedia(part) : describeCode(part);
  return words === undefined || words === '' ? undefined : { type: 'input_text', text: words };
}
