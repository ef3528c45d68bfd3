/**
 * A frame as everybody above reads it: lists are lists, texts are strings, counts are
 * numbers. What is odd in a detail is left out; a frame that is odd as a whole is told
 * of, and counts as broken. Nothing here judges what a frame says. It runs for every
 * frame: one that is as it should be is only looked at.
 */

import { isRecord } from '../../util/is-record.ts';

/** Deeper than any call means to be; the service itself refuses to read back what is nested further. */
const MAX_DEPTH = 200;

type Fields = Record<string, unknown>;

/** Leaves out, in place, what nobody could read. What is wrong with the frame as a whole, if anything is. */
export function tidyFrame(frame: Fields): string | undefined {
  if (isPlainText(frame)) return undefined;
  // A convenience of client libraries; on the wire calls stand in the parts alone.
  if ('functionCalls' in frame) delete frame['functionCalls'];
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

/** Nearly every frame of a long answer: one part, which is text and nothing else. */
function isPlainText(frame: Fields): boolean {
  const { candidates, usageMetadata, responseId, functionCalls } = frame;
  if (usageMetadata !== undefined || functionCalls !== undefined) return false;
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

/** Also takes what is null out of the part: on the wire that means absent. */
function isReadable(part: unknown): boolean {
  if (!isRecord(part)) return false;
  for (const key in part) if (part[key] === null) delete part[key];
  leaveOutUnless(part, 'thoughtSignature', isText);
  const text = part['text'];
  return text === undefined || typeof text === 'string';
}

function isTooDeep(part: unknown): boolean {
  return isDeeper(part, MAX_DEPTH);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    const field = (value as Fields)[key];
    if (typeof field === 'object' && isDeeper(field, levels - 1)) return true;
  }
  return false;
}

/** Keeps the counts that are numbers, and says whether there is anything to count. */
function isUsage(usage: unknown): boolean {
  if (!isRecord(usage)) return false;
  for (const key in usage) if (key.endsWith('TokenCount')) leaveOutUnless(usage, key, Number.isFinite);
  return true;
}

/** Keeps the sources that have an address. */
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
