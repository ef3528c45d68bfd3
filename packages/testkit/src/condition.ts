/**
 * Waits for a state instead of for time: a promise per predicate, checked again whenever its owner reports a change.
 */

interface Waiter {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Condition {
  private waiters: Waiter[] = [];
  private end: Error | undefined;

  /** Resolves as soon as `isMet`; rejects if the owner ends before. */
  async until(isMet: () => boolean): Promise<void> {
    if (isMet()) return;
    if (this.end) throw this.end;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.waiters.push({ isMet, resolve, reject });
    return promise;
  }

  changed(): void {
    const met = this.waiters.filter((waiter) => waiter.isMet());
    this.waiters = this.waiters.filter((waiter) => !met.includes(waiter));
    for (const waiter of met) waiter.resolve();
  }

  /** No more changes: an unmet predicate never will be met. */
  finish(error: Error): void {
    this.changed();
    this.end = error;
    for (const waiter of this.waiters) waiter.reject(error);
    this.waiters = [];
  }
}
