/**
 * Formats a model's researched answer: its text with numbered marks where it relies on a
 * source, and the list of sources. Pure; used by the tools that ask a model.
 */

import type { GenerateContentResponse, GroundingMetadata } from '../protocol/content.ts';
import { toOneLine } from '../util/short-text.ts';

/** The answer's text without thoughts. */
export function answerText(response: GenerateContentResponse): string {
  const parts = response.candidates?.[0]?.content?.parts ?? [];
  return parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');
}

/** The text with `[n]` marks and the sources, if any. */
export function withSources(text: string, metadata: GroundingMetadata | undefined): string {
  const chunks = metadata?.groundingChunks ?? [];
  if (chunks.length === 0) return text;
  const sources = chunks.map(({ web }, index) => {
    const title = toOneLine(web?.title ?? '') || 'Untitled';
    return `[${index + 1}] ${title} (${toOneLine(web?.uri ?? '') || 'No URI'})`;
  });
  return `${insertMarks(text, metadata)}\n\nSources:\n${sources.join('\n')}`;
}

/** The service counts in bytes of UTF-8; a mark follows the end of its segment. */
function insertMarks(text: string, metadata: GroundingMetadata | undefined): string {
  const bytes = Buffer.from(text, 'utf8');
  const marks = new Map<number, Set<number>>();
  for (const { segment, groundingChunkIndices = [] } of metadata?.groundingSupports ?? []) {
    if (segment?.endIndex === undefined) continue;
    const end = nextBoundary(bytes, segment.endIndex);
    const numbers = marks.get(end) ?? new Set();
    for (const index of groundingChunkIndices) numbers.add(index + 1);
    marks.set(end, numbers);
  }
  const pieces: Buffer[] = [];
  let position = 0;
  for (const [end, numbers] of [...marks].sort(([a], [b]) => a - b)) {
    pieces.push(bytes.subarray(position, end), Buffer.from([...numbers].map((number) => `[${number}]`).join('')));
    position = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(position)]).toString('utf8');
}

/** Moves an offset inside a character to its end. */
function nextBoundary(bytes: Buffer, offset: number): number {
  let index = Math.min(Math.max(0, offset), bytes.length);
  while (index < bytes.length && ((bytes[index] ?? 0) & 0xc0) === 0x80) index++;
  return index;
}
