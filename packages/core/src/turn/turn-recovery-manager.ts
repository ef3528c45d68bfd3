/**
 * TurnRecoveryManager: retries a turn that failed before any output, with growing delays, or falls back to a second
 * turn. It never retries a turn after output: shown text cannot be withdrawn, and a call may have been executed.
 * Exists for the documented API; the runtime retries in chat/.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { RunnableTurn } from './collect-turn.ts';
import { requireNumber } from './positional-number.ts';
import { isRetryableError } from './turn-failure.ts';

const FORM = 'new TurnRecoveryManager(3, 1000)';
const SWITCHING = '\n[Switching to fallback model...]\n';

export class TurnRecoveryManager {
  private readonly maxRetries: number;
  private readonly retryDelayMs: number;
  private readonly clock: Clock;

  /** `maxRetries` counts every run, including the first; `retryDelayMs` is the first delay and doubles. */
  constructor(maxRetries = 3, retryDelayMs = 1000, { clock = systemClock }: { clock?: Clock } = {}) {
    this.maxRetries = requireNumber(maxRetries, 1, FORM, 'maxRetries');
    this.retryDelayMs = requireNumber(retryDelayMs, 0, FORM, 'retryDelayMs');
    this.clock = clock;
  }

  /**
   * Resolves as soon as a run has output, with all events of that run. The last run counts whatever its output.
   * Rejects with a run's error that is not worth a retry.
   */
  async executeWithRecovery(
    turn: RunnableTurn,
    input: PartListUnion,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<ServerGeminiStreamEvent, void>> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= this.maxRetries;
      const begun = await begin(turn.run(input, signal), isLast || signal.aborted);
      if (begun) return begun;
      try {
        await this.clock.sleep(this.retryDelayMs * 2 ** (attempt - 1), signal);
      } catch {
        // A sleep fails only when the user cancels.
        return cancelled();
      }
    }
  }

  /**
   * Yields the events of the first turn; when it fails or throws, an announcement and the events of the second. A
   * `retry` voids text the first turn had shown; a turn that has requested calls is not replaced.
   */
  async *executeWithFallback(
    primaryTurn: RunnableTurn,
    fallbackTurn: RunnableTurn,
    input: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<ServerGeminiStreamEvent, void> {
    let hasText = false;
    let hasCalls = false;
    let hasFailed = false;
    try {
      for await (const event of primaryTurn.run(input, signal)) {
        hasFailed = isFailure(event) && !hasCalls && !signal.aborted;
        if (hasFailed) break;
        hasText ||= event.type === GeminiEventType.Content || event.type === GeminiEventType.Thought;
        hasCalls ||= event.type === GeminiEventType.ToolCallRequest;
        yield event;
      }
    } catch (error) {
      if (hasCalls || signal.aborted) throw error;
      hasFailed = true;
    }
    if (!hasFailed) return;
    if (hasText) yield { type: GeminiEventType.Retry };
    yield { type: GeminiEventType.Content, value: SWITCHING };
    yield* fallbackTurn.run(input, signal);
  }
}

/** Returns the run with its output so far; undefined when it failed in a way another run may not. */
async function begin(
  events: AsyncIterable<ServerGeminiStreamEvent>,
  isLast: boolean,
): Promise<AsyncGenerator<ServerGeminiStreamEvent, void> | undefined> {
  const iterator = events[Symbol.asyncIterator]();
  const said: ServerGeminiStreamEvent[] = [];
  try {
    for (;;) {
      const step = await iterator.next();
      if (step.done) return relay(said, iterator);
      if (!isLast && isRetryableFailure(step.value)) {
        await iterator.return?.();
        return undefined;
      }
      said.push(step.value);
      if (isOutput(step.value)) return relay(said, iterator);
    }
  } catch (error) {
    if (isLast || !isRetryableError(error)) throw error;
    return undefined;
  }
}

async function* relay(
  said: readonly ServerGeminiStreamEvent[],
  rest: AsyncIterator<ServerGeminiStreamEvent>,
): AsyncGenerator<ServerGeminiStreamEvent, void> {
  try {
    yield* said;
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

async function* cancelled(): AsyncGenerator<ServerGeminiStreamEvent, void> {
  yield { type: GeminiEventType.UserCancelled };
}

function isOutput({ type }: ServerGeminiStreamEvent): boolean {
  return type !== GeminiEventType.Retry && type !== GeminiEventType.ModelInfo;
}

function isFailure({ type }: ServerGeminiStreamEvent): boolean {
  return type === GeminiEventType.Error || type === GeminiEventType.InvalidStream;
}

/** The error of a chat that is not ours has only a message, and perhaps a status. */
function isRetryableFailure(event: ServerGeminiStreamEvent): boolean {
  if (event.type !== GeminiEventType.Error) return false;
  const { message, status, retryable } = event.value.error;
  return retryable ?? isRetryableError(Object.assign(new Error(message), { status }));
}
