/**
 * Sanitizes the parts of a session file. The service rejects a whole request for one unknown
 * field, so only supported content passes: unknown fields and invalid parts are dropped.
 */

import type { Part, PartListUnion } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { EndedCall, StoredToolCall } from './session-file.ts';
import { isRecord } from '../util/is-record.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isAnything: Check = () => true;
const isDisplay: Check = (value) =>
  isText(value) ||
  (isRecord(value) && (isText(value['fileDiff']) || isText(value['summary']) || Array.isArray(value['todos'])));

/** Without a prototype: the names come from files, and each part of a session costs only a look-up. */
const fieldsOf = (checks: Fields): Fields => Object.assign(Object.create(null) as Record<string, Check>, checks);

const CALL = fieldsOf({ id: isText, name: isText, args: isRecord });
const RESPONSE = fieldsOf({
  id: isText,
  name: isText,
  response: isRecord,
  parts: Array.isArray,
  willContinue: isFlag,
  scheduling: isAnything,
});
/** A part has exactly one of these. */
const PAYLOADS = fieldsOf({
  text: isText,
  inlineData: isRecord,
  fileData: isRecord,
  functionCall: isRecord,
  functionResponse: isRecord,
  executableCode: isRecord,
  codeExecutionResult: isRecord,
});
const PART = fieldsOf({
  ...PAYLOADS,
  thought: isFlag,
  thoughtSignature: isText,
  videoMetadata: isRecord,
  mediaResolution: isAnything,
});
const STORED_CALL = fieldsOf({
  ...CALL,
  result: isAnything,
  status: isText,
  resultDisplay: isDisplay,
  displayName: isText,
  description: isText,
});
const ENDED_CALL = fieldsOf({
  id: isText,
  status: isText,
  durationMs: isNumber,
  resultDisplay: isDisplay,
  exitCode: isNumber,
  stoppedBy: isText,
});
const THOUGHT = fieldsOf({ subject: isText, description: isText });

/** Converts any content of a file to parts. Returns a valid part as the same object. */
export function toStoredParts(content: unknown): Part[] {
  const parts: Part[] = [];
  for (const part of Array.isArray(content) ? (content as unknown[]) : [content]) {
    const found = typeof part === 'string' ? { text: part } : toPart(part);
    if (found) parts.push(found);
  }
  return parts;
}

/** The text, without calls, media and thoughts. */
export function textOf(content: PartListUnion | undefined | null): string {
  return toStoredParts(content)
    .map(({ text = '', thought }) => (thought ? '' : text))
    .join('');
}

function toPart(value: unknown): Part | undefined {
  if (!isRecord(value)) return undefined;
  const part = pick(value, PART);
  if (countPayloads(part) !== 1) return undefined;
  const { functionCall, functionResponse } = part;
  if (functionCall !== undefined) return withPayload(part, 'functionCall', CALL);
  if (functionResponse !== undefined) return withPayload(part, 'functionResponse', RESPONSE);
  return part;
}

function countPayloads(part: Record<string, unknown>): number {
  let count = 0;
  for (const key in part) if (PAYLOADS[key] !== undefined) count++;
  return count;
}

function withPayload(
  part: Record<string, unknown>,
  key: 'functionCall' | 'functionResponse',
  fields: Fields,
): Part | undefined {
  const payload = part[key] as Record<string, unknown>;
  const picked = pick(payload, fields);
  if (picked['name'] === undefined) return undefined;
  return picked === payload ? part : { ...part, [key]: picked };
}

/** The valid fields; the same object when all are valid. */
function pick(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  for (const key in value) {
    if (fields[key]?.(value[key]) !== true) return pickSome(value, fields);
  }
  return value;
}

function pickSome(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => fields[key]?.(field) === true));
}

/** Calls that Gemini CLI stores beside the content. */
export function toStoredCalls(calls: unknown): StoredToolCall[] {
  return listOf(calls).flatMap((call) => {
    const picked = pick(call, STORED_CALL);
    return picked['name'] === undefined ? [] : [picked as StoredToolCall];
  });
}

export function toEndedCall(call: unknown): EndedCall | undefined {
  if (!isRecord(call)) return undefined;
  const picked = pick(call, ENDED_CALL);
  return isText(picked['id']) && isText(picked['status']) ? (picked as unknown as EndedCall) : undefined;
}

export function toStoredThoughts(thoughts: unknown): Partial<ThoughtSummary>[] {
  return listOf(thoughts).map((thought) => pick(thought, THOUGHT));
}

/** A file may hold any value in place of a list. */
function listOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
