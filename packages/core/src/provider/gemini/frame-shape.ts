/**
 * Normalises a frame for its readers: lists are lists, texts are strings, counts are numbers. An invalid detail is
 * removed; a frame that is invalid as a whole is reported and counts as broken. Nothing here interprets a frame. It
 * runs for every frame and only inspects a valid one.
 */

import { isRecord } from '../../util/is-record.ts';
import { isTooDeep } from '../wire/nesting.ts';

type Fields = Record<string, unknown>;

/** Removes unreadable details in place. Returns what is wrong with the frame as a whole, if anything. */
export function tidyFrame(frame: Fields): string | undefined {
  if (isPlainText(frame)) return undefined;
  // A convenience of client libraries; on the wire, calls are only in the parts.
  if ('functionCalls' in frame) delete frame['functionCalls'];
  // A server must not write in our name.
  if ('notices' in frame) delete frame['notices'];
  leaveOutUnless(frame, 'responseId', isText);
  leaveOutUnless(frame, 'usageMetadata', isUsage);
  const candidates = frame['candidates'] ?? [];
  if (!Array.isArray(candidates)) return 'Its candidates are not a list';
  for (const candidate of candidates as unknown[]) {
    const problem = isRecord(candidate) ? tidyCandidate(candidate) : 'A candidate is not an object';
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Nearly every frame of a long answer: one part, which is only text. */
function isPlainText(frame: Fields): boolean {
  const { candidates, usageMetadata, responseId, functionCalls, notices } = frame;
  if (usageMetadata !== undefined || functionCalls !== undefined || notices !== undefined) return false;
  if (responseId !== undefined && typeof responseId !== 'string') return false;
  return Array.isArray(candidates) && candidates.length === 1 && isPlainCandidate(candidates[0]);
}

function isPlainCandidate(candidate: unknown): boolean {
  if (!isRecord(candidate) || candidate['finishReason'] !== undefined) return false;
  const { content, citationMetadata } = candidate;
  const parts = isRecord(content) && citationMetadata === undefined ? content['parts'] : undefined;
  return Array.isArray(parts) && parts.length === 1 && isPlainPart(parts[0]);
}

function isPlainPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part['text'] !== 'string') return false;
  for (const key in part) if (key !== 'text') return false;
  return true;
}

function tidyCandidate(candidate: Fields): string | undefined {
  leaveOutUnless(candidate, 'finishReason', isText);
  leaveOutUnless(candidate, 'citationMetadata', isCitationList);
  leaveOutUnless(candidate, 'content', isRecord);
  const content = (candidate['content'] ?? {}) as Fields;
  const parts = content['parts'] ?? [];
  if (!Array.isArray(parts)) return 'Its parts are not a list';
  if (!parts.every(isReadable)) content['parts'] = parts.filter(isReadable);
  return parts.some(isTooDeep) ? 'A part of it is nested too deeply' : undefined;
}

/** Also removes null fields from the part: on the wire null means absent. */
function isReadable(part: unknown): boolean {
  if (!isRecord(part)) return false;
  for (const key in part) if (part[key] === null) delete part[key];
  leaveOutUnless(part, 'thoughtSignature', isText);
  const text = part['text'];
  return text === undefined || typeof text === 'string';
}

/** Removes counts that are not numbers; returns whether the usage is valid. */
function isUsage(usage: unknown): boolean {
  if (!isRecord(usage)) return false;
  for (const key in usage) if (key.endsWith('TokenCount')) leaveOutUnless(usage, key, Number.isFinite);
  return true;
}

/** Keeps the sources that have an address; returns whether the metadata is valid. */
function isCitationList(metadata: unknown): boolean {
  if (!isRecord(metadata) || !Array.isArray(metadata['citations'])) return false;
  metadata['citations'] = metadata['citations'].filter((source) => isRecord(source) && isText(source['uri']));
  return true;
}

function leaveOutUnless(fields: Fields, key: string, isGood: (value: unknown) => boolean): void {
  const value = fields[key];
  if (value !== undefined && !isGood(value)) delete fields[key];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
