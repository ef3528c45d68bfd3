/**
 * TurnRecoveryManager: runs a turn again when it failed before it said anything, with
 * growing delays, and at last a fallback turn. Never after output: what was shown
 * cannot be taken back, and a call may have been acted upon.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { RunnableTurn } from './collect-turn.ts';
import type { TurnEvent } from './turn.ts';

export interface TurnRecoveryOptions {
  /** Runs after the first. */
  maxRetries?: number;
  /** The first delay; doubles. */
  initialDelayMs?: number;
  /** Runs once when every retry failed, for example with another model. */
  createFallbackTurn?: () => RunnableTurn;
  clock?: Clock;
}

export class TurnRecoveryManager {
  private readonly options: TurnRecoveryOptions;

  constructor(options: TurnRecoveryOptions = {}) {
    this.options = options;
  }

  /** The events of the run that counts, beginning with its first. */
  async *runWithRecovery(
    createTurn: () => RunnableTurn,
    request: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void> {
    const { maxRetries = 3, initialDelayMs = 1000, createFallbackTurn, clock = systemClock } = this.options;
    for (let retries = 0; ; retries++) {
      const failure = yield* relayUnlessFailed(createTurn().run(request, signal));
      if (!failure) return;
      if (retries >= maxRetries) {
        if (createFallbackTurn) yield* createFallbackTurn().run(request, signal);
        else yield failure;
        return;
      }
      try {
        await clock.sleep(initialDelayMs * 2 ** retries, signal);
      } catch {
        // The only way a sleep fails is the user's cancel.
        yield { type: GeminiEventType.UserCancelled };
        return;
      }
    }
  }
}

/** Passes events on; a failure that may be retried, before any output, is returned instead. */
async function* relayUnlessFailed(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent, TurnEvent | undefined> {
  let hasOutput = false;
  for await (const event of events) {
    if (!hasOutput && isRetryableFailure(event)) return event;
    hasOutput ||= event.type !== GeminiEventType.Retry && event.type !== GeminiEventType.ModelInfo;
    yield event;
  }
  return undefined;
}

function isRetryableFailure(event: TurnEvent): boolean {
  return event.type === GeminiEventType.Error && event.value.error.retryable === true;
}
