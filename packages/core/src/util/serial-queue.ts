/** SerialQueue: admits one caller at a time, in the order of their requests. */

import { untilAborted } from './abort.ts';
import { throwIfAborted } from './clock.ts';

export class SerialQueue {
  private tail: Promise<void> = Promise.resolve();
  /** Callers that entered and have not left. */
  private inside = 0;

  /** Settles when all callers that entered so far have left. */
  get idle(): Promise<void> {
    return this.tail;
  }

  /** Resolves with the function to leave when it is this caller's turn; an abort gives up the place. */
  async enter(signal: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    const before = this.tail;
    const isFree = this.inside === 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasLeft = false;
    const leave = () => {
      if (!hasLeft) this.inside--;
      hasLeft = true;
      resolve();
    };
    this.inside++;
    this.tail = isFree ? promise : before.then(() => promise);
    try {
      if (!isFree) await untilAborted(before, signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
