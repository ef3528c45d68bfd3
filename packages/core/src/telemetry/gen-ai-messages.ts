/**
 * Converts turns into the form of OpenTelemetry's conventions for generative AI: a JSON list of messages with typed
 * parts. Media is named, not included. From a list that is too long, the newest messages are kept, whole. Pure.
 */

import type { Content, Part } from '../protocol/content.ts';
import { shorten } from '../util/short-text.ts';

const MAX_LENGTH = 100_000;
/** Per part; a longer result is of no more use to a reader of telemetry. */
const MAX_PART_LENGTH = 20_000;

export function toInputMessages(contents: readonly Content[]): string {
  const kept: string[] = [];
  let length = 0;
  for (let index = contents.length - 1; index >= 0; index--) {
    const { role = 'user', parts = [] } = contents[index]!;
    const message = JSON.stringify({ role, parts: parts.flatMap(toPart) });
    length += message.length;
    if (length > MAX_LENGTH && kept.length > 0) break;
    kept.push(message);
  }
  return `[${kept.toReversed().join(',')}]`;
}

export function toOutputMessages(parts: readonly Part[], finishReason: string | undefined): string {
  const message = { role: 'assistant', parts: parts.flatMap(toPart), finish_reason: finishReason?.toLowerCase() };
  return JSON.stringify([message]);
}

export function toSystemInstructions(instruction: Content | string): string {
  const parts = typeof instruction === 'string' ? [{ text: instruction }] : (instruction.parts ?? []);
  return JSON.stringify(parts.flatMap(toPart));
}

function toPart(part: Part): object[] {
  const { text, thought, functionCall, functionResponse, inlineData, fileData } = part;
  if (text !== undefined) return [{ type: thought ? 'reasoning' : 'text', content: shorten(text, MAX_PART_LENGTH) }];
  if (functionCall) {
    const { id, name, args } = functionCall;
    return [{ type: 'tool_call', id, name, arguments: bounded(args) }];
  }
  if (functionResponse) {
    return [{ type: 'tool_call_response', id: functionResponse.id, response: bounded(functionResponse.response) }];
  }
  if (inlineData) return [{ type: 'blob', mime_type: inlineData.mimeType }];
  if (fileData) return [{ type: 'uri', mime_type: fileData.mimeType, uri: fileData.fileUri }];
  return [];
}

/** Unchanged while it is small; else the start of its text. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length <= MAX_PART_LENGTH ? value : shorten(text, MAX_PART_LENGTH);
}
