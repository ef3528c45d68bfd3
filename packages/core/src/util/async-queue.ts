/** AsyncQueue: many producers, one async iterable. Items pushed before `close` are still delivered. */

export class AsyncQueue<T> implements AsyncIterable<T> {
  private items: T[] = [];
  private isClosed = false;
  private wake: (() => void) | undefined;

  push(item: T): void {
    if (this.isClosed) return;
    this.items.push(item);
    this.wake?.();
  }

  /** The iteration ends once all pushed items were taken. */
  close(): void {
    this.isClosed = true;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      const batch = this.items;
      this.items = [];
      yield* batch;
      if (this.items.length > 0) continue;
      if (this.isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      await promise;
    }
  }
}
