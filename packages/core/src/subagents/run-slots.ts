/** RunSlots: bounds how many runs work at once, in the order they came. Runs of different depths never wait for each other. */

import { untilAborted } from '../util/abort.ts';

export class RunSlots {
  private readonly limit: number;
  private readonly levels = new Map<number, { running: number; waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.limit = Math.max(1, limit);
  }

  isFull(depth: number): boolean {
    return (this.levels.get(depth)?.running ?? 0) >= this.limit;
  }

  /** Resolves with the function that frees the slot. Rejects with AbortError. */
  async enter(depth: number, signal: AbortSignal): Promise<() => void> {
    const level = this.levels.get(depth) ?? { running: 0, waiting: [] };
    this.levels.set(depth, level);
    if (level.running >= this.limit) {
      const { promise, resolve } = Promise.withResolvers<void>();
      level.waiting.push(resolve);
      try {
        await untilAborted(promise, signal);
      } catch (error) {
        const index = level.waiting.indexOf(resolve);
        if (index >= 0) level.waiting.splice(index, 1);
        // The slot was already this run's own.
        else this.leave(level);
        throw error;
      }
    } else level.running += 1;
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.leave(level);
      hasLeft = true;
    };
  }

  /** The next one takes the slot over. */
  private leave(level: { running: number; waiting: (() => void)[] }): void {
    const next = level.waiting.shift();
    if (next) next();
    else level.running -= 1;
  }
}
