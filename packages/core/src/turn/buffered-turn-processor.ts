/**
 * BufferedTurnProcessor: yields a turn's events in batches. It flushes a batch when it is full, when its first event
 * has waited long enough (also while the stream is idle), and immediately with the event that ends the turn. Exists
 * for the documented API; the surfaces coalesce their own output.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { RunnableTurn } from './collect-turn.ts';
import { requireNumber } from './positional-number.ts';

const FORM = 'new BufferedTurnProcessor(10, 100)';

/** These events end the turn: the batch is flushed without waiting. */
const ENDINGS: ReadonlySet<GeminiEventType> = new Set([
  GeminiEventType.Finished,
  GeminiEventType.Error,
  GeminiEventType.InvalidStream,
  GeminiEventType.UserCancelled,
]);

export class BufferedTurnProcessor {
  private readonly bufferSize: number;
  private readonly flushIntervalMs: number;
  private readonly clock: Clock;

  constructor(bufferSize = 10, flushIntervalMs = 100, { clock = systemClock }: { clock?: Clock } = {}) {
    this.bufferSize = requireNumber(bufferSize, 1, FORM, 'bufferSize');
    this.flushIntervalMs = requireNumber(flushIntervalMs, 0, FORM, 'flushIntervalMs');
    this.clock = clock;
  }

  /** Yields non-empty batches in order. A consumer that leaves early cancels the turn. */
  async *processWithBuffering(
    turn: RunnableTurn,
    input: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<ServerGeminiStreamEvent[], void> {
    const left = new AbortController();
    const events = turn.run(input, AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
    let next = pull(events);
    let ended = false;
    try {
      while (!ended) {
        const batch: ServerGeminiStreamEvent[] = [];
        const timer = new AbortController();
        let flush: Promise<'flush'> | undefined;
        let failure: { error: unknown } | undefined;
        while (batch.length < this.bufferSize) {
          const step = await (flush ? Promise.race([next, flush]) : next);
          if (step === 'flush') break;
          if (step.done) {
            ended = true;
            failure = step.failure;
            break;
          }
          batch.push(step.value);
          next = pull(events);
          if (ENDINGS.has(step.value.type)) break;
          flush ??= this.waitToFlush(timer.signal);
        }
        timer.abort();
        if (batch.length > 0) yield batch;
        if (failure) throw failure.error;
      }
    } finally {
      // Ends the pending event of a consumer that left; its result is discarded.
      left.abort();
    }
  }

  private async waitToFlush(signal: AbortSignal): Promise<'flush'> {
    await this.clock.sleep(this.flushIntervalMs, signal).catch(() => undefined);
    return 'flush';
  }
}

type Step = { done?: false; value: ServerGeminiStreamEvent } | { done: true; failure?: { error: unknown } };

/** Never rejects: the next event is pulled while the consumer still has the last batch, so nothing awaits it yet. */
async function pull(events: AsyncIterator<ServerGeminiStreamEvent>): Promise<Step> {
  try {
    const step = await events.next();
    return step.done ? { done: true } : { value: step.value };
  } catch (error) {
    return { done: true, failure: { error } };
  }
}
