/**
 * Estimates the tokens of a request, without asking the service where possible. Estimates are local and cheap; only
 * media, whose cost does not follow from a length, is worth a countTokens call, and its failure never fails the
 * caller.
 */

import type { Content, FunctionResponse, Part, PartListUnion } from '../protocol/content.ts';
import { originOf } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';
import { systemClock, throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { ContentGenerator } from './content-generator.ts';
import { toParts } from '../util/part-list.ts';

const TOKENS_PER_ASCII_CHARACTER = 0.25;
const TOKENS_PER_OTHER_CHARACTER = 1.5;
const IMAGE_TOKENS = 3_000;
const PDF_TOKENS = 25_800;
/** A longer string is estimated by its length alone. */
const EXACT_SCAN_LIMIT = 100_000;
const MAX_NESTING = 3;

export interface CountOptions {
  signal?: AbortSignal;
  clock?: Clock;
}

/** The local estimate, rounded down. */
export function estimateTokenCount(parts: readonly Part[]): number {
  return Math.floor(sum(parts, (part) => partTokens(part, 0)));
}

/**
 * The local estimate of a history. A provider's state counts if that provider gave the newest answer: only it gets the
 * state back.
 */
export function estimateHistoryTokenCount(contents: readonly Content[]): number {
  const parts = estimateTokenCount(contents.flatMap((content) => content.parts ?? []));
  const newest = contents.findLast(({ role }) => role === 'model');
  const provider = newest && originOf(newest)?.provider;
  if (provider === undefined) return parts;
  return parts + Math.floor(sum(contents, (content) => originTokens(originOf(content), provider)));
}

function originTokens(origin: Origin | undefined, provider: string): number {
  return origin?.provider === provider ? jsonTokens(origin.blocks) + jsonTokens(origin.calls) : 0;
}

/** The time limit for counting by the service; an auxiliary request must not delay the turn. */
const COUNT_TIMEOUT_MS = 5_000;

/**
 * Counts a request: locally, or by the service when it holds media. Falls back to the
 * local estimate when the service does not answer in time. Rejects only on abort.
 */
export async function calculateRequestTokenCount(
  request: PartListUnion,
  generator: Pick<ContentGenerator, 'countTokens'>,
  model: string,
  { signal, clock = systemClock }: CountOptions = {},
): Promise<number> {
  const parts = toParts(request);
  if (!parts.some(hasMedia)) return estimateTokenCount(parts);
  const settled = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, settled.signal]) : settled.signal;
  try {
    const contents: Content[] = [{ role: 'user', parts }];
    const { totalTokens } = await Promise.race([
      generator.countTokens({ model, contents, config: { abortSignal } }),
      clock.sleep(COUNT_TIMEOUT_MS, abortSignal).then(() => ({ totalTokens: undefined })),
    ]);
    return totalTokens ?? estimateTokenCount(parts);
  } catch {
    throwIfAborted(signal);
    // An auxiliary call never fails a turn; the local estimate replaces it.
    return estimateTokenCount(parts);
  } finally {
    // Cancels the one that is still running.
    settled.abort();
  }
}

function hasMedia(part: Part): boolean {
  return part.inlineData !== undefined || part.fileData !== undefined;
}

function partTokens(part: Part, depth: number): number {
  if (typeof part.text === 'string') return textTokens(part.text);
  if (part.functionResponse) return responseTokens(part.functionResponse, depth);
  const mimeType = part.inlineData?.mimeType ?? part.fileData?.mimeType;
  if (mimeType?.startsWith('image/')) return IMAGE_TOKENS;
  if (mimeType === 'application/pdf') return PDF_TOKENS;
  return jsonTokens(part);
}

function responseTokens(response: FunctionResponse, depth: number): number {
  const own = (response.name?.length ?? 0) / 4 + jsonTokens(response.response);
  if (!response.parts || depth >= MAX_NESTING) return own;
  return own + sum(response.parts, (part) => partTokens(part, depth + 1));
}

function jsonTokens(value: unknown): number {
  return (JSON.stringify(value)?.length ?? 0) / 4;
}

function textTokens(text: string): number {
  if (text.length > EXACT_SCAN_LIMIT) return text.length / 4;
  // Most texts are pure ASCII, and the regular expression detects that far faster than a loop.
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (!/[^\x00-\x7f]/.test(text)) return text.length * TOKENS_PER_ASCII_CHARACTER;
  let ascii = 0;
  let others = 0;
  for (const character of text) {
    if (character.charCodeAt(0) < 128) ascii++;
    else others++;
  }
  return ascii * TOKENS_PER_ASCII_CHARACTER + others * TOKENS_PER_OTHER_CHARACTER;
}

function sum<T>(items: readonly T[], measure: (item: T) => number): number {
  return items.reduce((total, item) => total + measure(item), 0);
}
