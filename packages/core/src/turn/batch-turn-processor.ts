/**
 * BatchTurnProcessor: runs many requests against one chat's history, a bounded number at a time. Each runs on a fork
 * of the chat: a shared one would queue them and mix their histories. Exists for the documented API; the runtime runs
 * one prompt.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { TurnCollector } from './collect-turn.ts';
import type { TurnResult } from './collect-turn.ts';
import { requireNumber } from './positional-number.ts';
import { Turn } from './turn.ts';
import type { TurnChat } from './turn.ts';

export interface BatchRequest<M = unknown> {
  input: PartListUnion;
  promptId: string;
  /** Returned with the result. */
  metadata?: M;
}

/** A failed turn has a result with `errors`; `error` is for one that threw, for example without credentials. */
export type BatchItemResult<M = unknown> =
  | { input: PartListUnion; result: TurnResult; metadata: M | undefined; error?: undefined }
  | { input: PartListUnion; result: null; metadata: M | undefined; error: Error };

/** A `GeminiChat`, or any chat a turn can use: without `fork` the requests share it. */
type ForkableChat = TurnChat & { fork?: () => TurnChat };

export class BatchTurnProcessor {
  private readonly chat: ForkableChat;
  private readonly maxConcurrent: number;

  constructor(chat: ForkableChat, maxConcurrent = 3) {
    this.chat = chat;
    this.maxConcurrent = requireNumber(maxConcurrent, 1, 'new BatchTurnProcessor(chat, 3)', 'maxConcurrent');
  }

  /** Returns the results in the order of the requests; one failing item does not affect the others. */
  async processBatch<M>(requests: readonly BatchRequest<M>[], signal: AbortSignal): Promise<BatchItemResult<M>[]> {
    requests.forEach(requireRequest);
    const results: BatchItemResult<M>[] = [];
    const waiting = requests.entries();
    const work = async (): Promise<void> => {
      for (const [index, request] of waiting) results[index] = await this.processItem(request, signal);
    };
    await Promise.all(Array.from({ length: Math.min(this.maxConcurrent, requests.length) }, work));
    return results;
  }

  private async processItem<M>(request: BatchRequest<M>, signal: AbortSignal): Promise<BatchItemResult<M>> {
    const { input, promptId, metadata } = request;
    try {
      const turn = new Turn(this.chat.fork?.() ?? this.chat, promptId);
      return { input, result: await processSingleTurn(turn, input, signal), metadata };
    } catch (error) {
      return {
        input,
        result: null,
        metadata,
        error: error instanceof Error ? error : new Error(getErrorMessage(error)),
      };
    }
  }
}

async function processSingleTurn(turn: Turn, input: PartListUnion, signal: AbortSignal): Promise<TurnResult> {
  const collector = new TurnCollector();
  for await (const event of turn.run(input, signal)) collector.add(event);
  return { ...collector.turn, finished: collector.isFinished, debugResponses: turn.getDebugResponses() };
}

function requireRequest({ input, promptId }: Partial<BatchRequest>, index: number): void {
  if (input !== undefined && typeof promptId === 'string') return;
  throw new TypeError(`Request ${index} of the batch needs {input, promptId}; {metadata} is optional.`);
}
