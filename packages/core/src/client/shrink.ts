/** Compresses the history when the service rejected a request as too large, once per prompt, and sends the request again. */

import { CompressionStatus, GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiErrorEvent, ServerGeminiStreamEvent } from '../protocol/events.ts';
import type { TurnToBe } from './before-turn.ts';
import { hasResponses } from './continuation.ts';
import type { Continuation } from './continuation.ts';
import type { GeminiClientOptions } from './gemini-client.ts';
import type { PromptState } from './prompt-gates.ts';

/** Where nothing can be left out, the rejection stands. */
export async function* shrink(
  overflow: ServerGeminiErrorEvent,
  { model, request, prompt_id, signal }: TurnToBe,
  prompt: PromptState,
  { chat, compressor, ideContext, onOverflow }: GeminiClientOptions,
): AsyncGenerator<ServerGeminiStreamEvent, Continuation> {
  const rejected: Continuation = { kind: 'stop', event: overflow };
  if (prompt.hasShrunk || !compressor) return rejected;
  prompt.hasShrunk = true;
  await onOverflow?.(model, overflow.value.error.window);
  // The chat keeps tool results that it could not send; they are part of the request that follows.
  const kept = hasResponses(request) ? chat.getLastContent() : undefined;
  if (kept) chat.rewindTo(kept);
  const value = await compressor.tryCompressChat({ chat, activeModel: model, prompt_id, signal, isFull: true });
  if (value.compressionStatus === CompressionStatus.COMPRESSED) {
    ideContext?.reset();
    yield { type: GeminiEventType.ChatCompressed, value };
    return { kind: 'again', why: 'overflow', request };
  }
  if (kept) chat.addHistory(kept);
  return rejected;
}
