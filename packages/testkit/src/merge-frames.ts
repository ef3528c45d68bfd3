/**
 * Merges frames into the one response of an unstreamed call. Parts keep their order; adjacent plain texts become one,
 * as the service sends them unstreamed.
 */

import type { Candidate, GenerateContentResponse, Part } from '@castor/core';

/** Later frames win for everything that is not a list. */
export function mergeFrames(frames: readonly object[], options: { joinText?: boolean } = {}): GenerateContentResponse {
  let merged: GenerateContentResponse = {};
  for (const frame of frames as GenerateContentResponse[]) {
    const { candidates, ...rest } = frame;
    merged = { ...merged, ...rest };
    const candidate = candidates?.[0];
    if (candidate) merged.candidates = [mergeCandidate(merged.candidates?.[0] ?? {}, candidate)];
    else if (candidates) merged.candidates ??= [];
  }
  const first = merged.candidates?.[0];
  if (options.joinText && first?.content?.parts) {
    merged.candidates = [{ ...first, content: { ...first.content, parts: joinTexts(first.content.parts) } }];
  }
  return merged;
}

function mergeCandidate(before: Candidate, next: Candidate): Candidate {
  const merged: Candidate = { ...before, ...next };
  if (before.content && next.content) {
    merged.content = { ...next.content, parts: [...(before.content.parts ?? []), ...(next.content.parts ?? [])] };
  }
  if (before.citationMetadata && next.citationMetadata) {
    const citations = [...(before.citationMetadata.citations ?? []), ...(next.citationMetadata.citations ?? [])];
    merged.citationMetadata = { citations };
  }
  return merged;
}

function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && isPlainText(last) && isPlainText(part)) joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

function isPlainText(part: Part): part is { text: string } {
  return typeof part.text === 'string' && Object.keys(part).length === 1;
}
