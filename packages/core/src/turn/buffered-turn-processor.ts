/**
 * BufferedTurnProcessor: a turn's events in batches, each given out when it is full or
 * when its first event has waited long enough, also while the stream stands still.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { RunnableTurn } from './collect-turn.ts';
import type { TurnEvent } from './turn.ts';

export interface BufferedTurnOptions {
  maxSize?: number;
  flushIntervalMs?: number;
  clock?: Clock;
}

export class BufferedTurnProcessor {
  private readonly maxSize: number;
  private readonly flushIntervalMs: number;
  private readonly clock: Clock;

  constructor({ maxSize = 10, flushIntervalMs = 100, clock = systemClock }: BufferedTurnOptions = {}) {
    this.maxSize = maxSize;
    this.flushIntervalMs = flushIntervalMs;
    this.clock = clock;
  }

  /** Yields non-empty batches in order. Leaving early cancels the turn. */
  async *process(turn: RunnableTurn, request: PartListUnion, signal: AbortSignal): AsyncGenerator<TurnEvent[], void> {
    const left = new AbortController();
    const events = turn.run(request, AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
    let next = events.next();
    let ended = false;
    try {
      while (!ended) {
        const batch: TurnEvent[] = [];
        const timer = new AbortController();
        let flush: Promise<'flush'> | undefined;
        while (batch.length < this.maxSize) {
          const step = await (flush ? Promise.race([next, flush]) : next);
          if (step === 'flush') break;
          if (step.done) {
            ended = true;
            break;
          }
          batch.push(step.value);
          next = events.next();
          flush ??= this.waitToFlush(timer.signal);
        }
        timer.abort();
        if (batch.length > 0) yield batch;
      }
    } finally {
      left.abort();
      // The event under way ends with the abort; nobody waits for what it would have said.
      if (!ended) next.catch(() => undefined);
    }
  }

  private async waitToFlush(signal: AbortSignal): Promise<'flush'> {
    await this.clock.sleep(this.flushIntervalMs, signal).catch(() => undefined);
    return 'flush';
  }
}
