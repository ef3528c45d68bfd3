/**
 * BatchTurnProcessor: many prompts against one chat's history, a bounded number at a
 * time. Each runs on a fork of the chat: a shared one would put them in a queue and
 * mix their histories.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { PartListUnion } from '../protocol/content.ts';
import { toStructuredError } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import type { TurnResult } from './collect-turn.ts';
import { TurnEventProcessor } from './turn-event-processor.ts';
import { Turn } from './turn.ts';

export interface BatchRequest {
  prompt_id: string;
  request: PartListUnion;
}

/** A turn that ended badly has a result that says so; `error` is for one that threw. */
export type BatchItemResult =
  | { prompt_id: string; result: TurnResult; error?: undefined }
  | { prompt_id: string; result?: undefined; error: StructuredError };

export class BatchTurnProcessor {
  private readonly chat: GeminiChat;
  private readonly maxConcurrent: number;
  private readonly processor = new TurnEventProcessor();

  constructor(chat: GeminiChat, options: { maxConcurrent?: number } = {}) {
    this.chat = chat;
    this.maxConcurrent = options.maxConcurrent ?? 3;
    if (!(this.maxConcurrent >= 1)) throw new Error('maxConcurrent must be at least 1.');
  }

  /** Results come in the order of the requests; one failing item does not touch the others. */
  async processBatch(requests: readonly BatchRequest[], signal: AbortSignal): Promise<BatchItemResult[]> {
    const results: BatchItemResult[] = [];
    const waiting = requests.entries();
    const work = async (): Promise<void> => {
      for (const [index, request] of waiting) results[index] = await this.processItem(request, signal);
    };
    await Promise.all(Array.from({ length: Math.min(this.maxConcurrent, requests.length) }, work));
    return results;
  }

  private async processItem({ prompt_id, request }: BatchRequest, signal: AbortSignal): Promise<BatchItemResult> {
    try {
      const turn = new Turn(this.chat.fork(), prompt_id);
      return { prompt_id, result: await this.processor.processTurn(turn, request, signal) };
    } catch (error) {
      return { prompt_id, error: toStructuredError(error) };
    }
  }
}
