/**
 * Parts as a session file holds them. The service refuses a whole request for one field
 * it does not know, so only what it takes gets out of here: a field nobody knows is left
 * out, a part that cannot be meant is left out whole.
 */

import { isRecord } from '../chat/call-ids.ts';
import type { Part, PartListUnion } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { EndedCall, StoredToolCall } from './session-file.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isAnything: Check = () => true;
const isDisplay: Check = (value) =>
  isText(value) ||
  (isRecord(value) && (isText(value['fileDiff']) || isText(value['summary']) || Array.isArray(value['todos'])));

const CALL: Readonly<Record<string, Check>> = { id: isText, name: isText, args: isRecord };
const RESPONSE: Readonly<Record<string, Check>> = {
  id: isText,
  name: isText,
  response: isRecord,
  parts: Array.isArray,
  willContinue: isFlag,
  scheduling: isAnything,
};
/** Of these a part has exactly one. */
const PAYLOADS: Readonly<Record<string, Check>> = {
  text: isText,
  inlineData: isRecord,
  fileData: isRecord,
  functionCall: isRecord,
  functionResponse: isRecord,
  executableCode: isRecord,
  codeExecutionResult: isRecord,
};
const FLAGS: Readonly<Record<string, Check>> = {
  thought: isFlag,
  thoughtSignature: isText,
  videoMetadata: isRecord,
  mediaResolution: isAnything,
};
const PAYLOAD_NAMES = Object.keys(PAYLOADS);
const PART = { ...PAYLOADS, ...FLAGS };

/** Whatever a file holds as content, as parts. A part that is as it should be is the object itself. */
export function toStoredParts(content: unknown): Part[] {
  const list: unknown[] = Array.isArray(content) ? content : [content];
  return list.flatMap((part): Part[] => {
    const found = typeof part === 'string' ? { text: part } : toPart(part);
    return found ? [found] : [];
  });
}

/** What was said, without calls, media and thoughts. */
export function textOf(content: PartListUnion | undefined | null): string {
  return toStoredParts(content)
    .map(({ text = '', thought }) => (thought ? '' : text))
    .join('');
}

function toPart(value: unknown): Part | undefined {
  if (!isRecord(value)) return undefined;
  const part = pick(value, PART);
  if (PAYLOAD_NAMES.reduce((count, key) => (key in part ? count + 1 : count), 0) !== 1) return undefined;
  const { functionCall, functionResponse } = part;
  if (functionCall !== undefined) return withPayload(part, 'functionCall', CALL);
  if (functionResponse !== undefined) return withPayload(part, 'functionResponse', RESPONSE);
  return part;
}

function withPayload(
  part: Record<string, unknown>,
  key: 'functionCall' | 'functionResponse',
  fields: Readonly<Record<string, Check>>,
): Part | undefined {
  const payload = part[key] as Record<string, unknown>;
  const picked = pick(payload, fields);
  if (picked['name'] === undefined) return undefined;
  return picked === payload ? part : { ...part, [key]: picked };
}

/** The fields that are right; the object itself when all are. */
function pick(value: Record<string, unknown>, fields: Readonly<Record<string, Check>>): Record<string, unknown> {
  const isRight = (key: string) => Object.hasOwn(fields, key) && fields[key]?.(value[key]) === true;
  const keys = Object.keys(value);
  return keys.every(isRight) ? value : Object.fromEntries(keys.filter(isRight).map((key) => [key, value[key]]));
}

/** Calls as Gemini CLI keeps them beside the content. */
export function toStoredCalls(calls: unknown): StoredToolCall[] {
  const fields = { ...CALL, result: isAnything, status: isText, resultDisplay: isDisplay };
  return listOf(calls).flatMap((call) => {
    const picked = pick(call, fields);
    return picked['name'] === undefined ? [] : [picked as StoredToolCall];
  });
}

export function toEndedCall(call: unknown): EndedCall | undefined {
  if (!isRecord(call)) return undefined;
  const picked = pick(call, { id: isText, status: isText, durationMs: isNumber, resultDisplay: isDisplay });
  return isText(picked['id']) && isText(picked['status']) ? (picked as unknown as EndedCall) : undefined;
}

export function toStoredThoughts(thoughts: unknown): Partial<ThoughtSummary>[] {
  return listOf(thoughts).map((thought) => pick(thought, { subject: isText, description: isText }));
}

/** A file may hold anything where a list belongs. */
function listOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
