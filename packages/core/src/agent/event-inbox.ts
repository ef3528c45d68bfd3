/**
 * EventInbox: events that happen beside the loop (a hook's message, a background command that ended, a notice), until a
 * stream yields them. The open prompt's stream takes them, interleaved with its own; between prompts the session's does.
 */

import type { SessionEvent } from '../protocol/agent-events.ts';

export class EventInbox {
  private waiting: SessionEvent[] = [];
  /** Of the open prompt, which sets it anew for every step. */
  private wakePrompt: (() => void) | undefined;
  private wakeIdle: (() => void) | undefined;
  private closed = false;

  get isClosed(): boolean {
    return this.closed;
  }

  post(event: SessionEvent): void {
    this.waiting.push(event);
    this.wake();
  }

  /** What was posted before can still be taken. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  take(): readonly SessionEvent[] {
    if (this.waiting.length === 0) return NOTHING;
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  /** Resolves with the next post, or when the inbox is closed. Whatever waits already is to be taken first. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wakeIdle = resolve;
    });
  }

  /** What the work gives, or undefined as soon as something is posted; the work continues and can be awaited again. */
  async unlessPosted<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.waiting.length > 0) return undefined;
    return new Promise<T | undefined>((resolve, reject) => {
      this.wakePrompt = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  private wake(): void {
    const { wakePrompt, wakeIdle } = this;
    this.wakePrompt = undefined;
    this.wakeIdle = undefined;
    wakePrompt?.();
    wakeIdle?.();
  }
}

const NOTHING: readonly SessionEvent[] = [];
