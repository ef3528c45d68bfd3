/**
 * RealTimeEventListener: calls handlers by event type with the event's value as a turn's events arrive. A throwing
 * handler is reported and affects neither the turn nor other handlers. Exists for the documented API; the runtime
 * reads the events themselves.
 */

import type { PartListUnion } from '../protocol/content.ts';
import type { GeminiErrorEventValue, EventOf, ServerGeminiStreamEvent } from '../protocol/events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { StructuredError } from '../protocol/errors.ts';
import type { RunnableTurn } from './collect-turn.ts';

/** The documents read an error as `value.error.message` and as `value.message`. */
type ErrorValue = GeminiErrorEventValue & StructuredError;

export type EventValue<T extends GeminiEventType> = T extends GeminiEventType.Error
  ? ErrorValue
  : EventOf<T> extends { value: infer V }
    ? V
    : EventOf<T> extends { value?: infer V }
      ? V | undefined
      : undefined;

/** `value` is undefined for an event without one; `event` is the whole event. */
export type EventHandler<T extends GeminiEventType> = (value: EventValue<T>, event: EventOf<T>) => void | Promise<void>;

type AnyHandler = (value: never, event: never) => void | Promise<void>;

export class RealTimeEventListener {
  private readonly handlers = new Map<GeminiEventType, AnyHandler[]>();
  private readonly onHandlerError: ((error: unknown, type: GeminiEventType) => void) | undefined;

  constructor(options: { onHandlerError?: (error: unknown, type: GeminiEventType) => void } = {}) {
    this.onHandlerError = options.onHandlerError;
  }

  on<T extends GeminiEventType>(eventType: T, handler: EventHandler<T>): this {
    this.handlers.set(eventType, [...(this.handlers.get(eventType) ?? []), handler]);
    return this;
  }

  /** Removes the handler once: one that was added twice is then called once. */
  off<T extends GeminiEventType>(eventType: T, handler: EventHandler<T>): this {
    const handlers = this.handlers.get(eventType) ?? [];
    const index = handlers.indexOf(handler);
    if (index !== -1) this.handlers.set(eventType, handlers.toSpliced(index, 1));
    return this;
  }

  /** Runs the turn; each event's handlers have finished before the next event is pulled. Rejects as `turn.run` does. */
  async listenToTurn(turn: RunnableTurn, userInput: PartListUnion, signal: AbortSignal): Promise<void> {
    for await (const event of turn.run(userInput, signal)) {
      for (const handler of this.handlers.get(event.type) ?? []) {
        try {
          await handler(valueOf(event) as never, event as never);
        } catch (error) {
          this.onHandlerError?.(error, event.type);
        }
      }
    }
  }
}

function valueOf(event: ServerGeminiStreamEvent): unknown {
  if (event.type === GeminiEventType.Error) return { ...event.value.error, ...event.value };
  return 'value' in event ? event.value : undefined;
}
