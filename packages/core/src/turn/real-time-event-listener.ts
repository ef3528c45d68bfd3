/**
 * RealTimeEventListener: handlers by event type, called as a turn's events arrive. A
 * handler that throws is reported and does not disturb the turn or other handlers.
 */

import type { PartListUnion } from '../protocol/content.ts';
import type { EventOf, GeminiEventType } from '../protocol/events.ts';
import type { RunnableTurn } from './collect-turn.ts';

export type EventHandler<T extends GeminiEventType> = (event: EventOf<T>) => void | Promise<void>;

type AnyHandler = (event: never) => void | Promise<void>;

export class RealTimeEventListener {
  private readonly handlers = new Map<GeminiEventType, Set<AnyHandler>>();
  private readonly onHandlerError: ((error: unknown, type: GeminiEventType) => void) | undefined;

  constructor(options: { onHandlerError?: (error: unknown, type: GeminiEventType) => void } = {}) {
    this.onHandlerError = options.onHandlerError;
  }

  on<T extends GeminiEventType>(type: T, handler: EventHandler<T>): this {
    const handlers = this.handlers.get(type) ?? new Set();
    this.handlers.set(type, handlers.add(handler));
    return this;
  }

  off<T extends GeminiEventType>(type: T, handler: EventHandler<T>): this {
    this.handlers.get(type)?.delete(handler);
    return this;
  }

  /** Runs the turn; each event's handlers have finished before the next event is pulled. */
  async listen(turn: RunnableTurn, request: PartListUnion, signal: AbortSignal): Promise<void> {
    for await (const event of turn.run(request, signal)) {
      for (const handler of [...(this.handlers.get(event.type as GeminiEventType) ?? [])]) {
        try {
          await handler(event as never);
        } catch (error) {
          this.onHandlerError?.(error, event.type as GeminiEventType);
        }
      }
    }
  }
}
