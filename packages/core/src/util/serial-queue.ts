/** SerialQueue: one at a time, in the order they asked. */

import { untilAborted } from './abort.ts';
import { throwIfAborted } from './clock.ts';

export class SerialQueue {
  private tail: Promise<void> = Promise.resolve();

  /** Settles when everybody who entered so far has left. */
  get idle(): Promise<void> {
    return this.tail;
  }

  /** Resolves with the way out when it is this caller's turn; an abort gives the place up. */
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
