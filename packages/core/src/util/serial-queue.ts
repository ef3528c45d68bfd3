/** SerialQueue: admits one caller at a time, in the order of their requests. */

import { untilAborted } from './abort.ts';
import { throwIfAborted } from './clock.ts';

export class SerialQueue {
  private tail: Promise<void> = Promise.resolve();

  /** Settles when all callers that entered so far have left. */
  get idle(): Promise<void> {
    return this.tail;
  }

  /** Resolves with the function to leave when it is this caller's turn; an abort gives up the place. */
  async enter(signal: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    const before = this.tail;
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    this.tail = before.then(() => promise);
    try {
      await untilAborted(before, signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
