/** Reads the token counts of an answer, in each server's own way of counting. */

import type { UsageMetadata } from '../../protocol/content.ts';
import { isRecord } from '../../util/is-record.ts';
import type { ChatQuirks } from './quirks.ts';

/** Undefined when the server reported none. */
export function toUsage(usage: unknown, { reasoningApart = false }: ChatQuirks): UsageMetadata | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = count(usage['prompt_tokens']);
  const completion = count(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const ofPrompt = isRecord(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const ofCompletion = isRecord(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {};
  const cached =
    count(ofPrompt['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens']) ?? count(usage['cached_tokens']);
  const written = count(ofPrompt['cache_write_tokens']);
  const thoughts = count(ofCompletion['reasoning_tokens']);
  // A cache larger than the prompt is counted beside it.
  const promptTokenCount = (prompt ?? 0) + ((cached ?? 0) > (prompt ?? 0) ? (cached ?? 0) : 0);
  const candidatesTokenCount = Math.max(0, (completion ?? 0) - (reasoningApart ? 0 : (thoughts ?? 0)));
  return {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount + (thoughts ?? 0),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    ...(written !== undefined && { cacheWriteTokenCount: written }),
    ...(thoughts !== undefined && { thoughtsTokenCount: thoughts }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
