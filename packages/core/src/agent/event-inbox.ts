/**
 * EventInbox: buffers events from beside the loop (a hook's message, a background command that ended, a notice) until a
 * stream yields them. The open prompt's stream interleaves them with its own; between prompts the session's stream does.
 */

import type { SessionEvent } from '../protocol/agent-events.ts';

export class EventInbox {
  private waiting: SessionEvent[] = [];
  /** How many of `waiting` were taken. */
  private taken = 0;
  /** Wakes the open prompt, which sets it anew for every step. */
  private wakePrompt: (() => void) | undefined;
  private wakeIdle: (() => void)[] = [];
  private closed = false;

  get isClosed(): boolean {
    return this.closed;
  }

  post(event: SessionEvent): void {
    this.waiting.push(event);
    this.wake();
  }

  /** Events posted earlier can still be taken. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  /** One at a time, so that a consumer that leaves removes only the events it received. */
  take(): SessionEvent | undefined {
    if (this.waiting.length === 0) return undefined;
    const event = this.waiting[this.taken++];
    if (this.taken === this.waiting.length) {
      this.waiting = [];
      this.taken = 0;
    }
    return event;
  }

  /** Resolves with the next post, or when the inbox is closed. Take the waiting events first. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wakeIdle.push(resolve);
    });
  }

  /** The work's result, or undefined as soon as an event is posted; the work continues and can be awaited again. */
  unlessPosted<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.waiting.length > 0) return Promise.resolve(undefined);
    return new Promise<T | undefined>((resolve, reject) => {
      this.wakePrompt = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  /** Makes every stream check again: an event was posted, or is now for another stream to take. */
  wake(): void {
    const { wakePrompt, wakeIdle } = this;
    this.wakePrompt = undefined;
    this.wakeIdle = [];
    wakePrompt?.();
    for (const wake of wakeIdle) wake();
  }
}
