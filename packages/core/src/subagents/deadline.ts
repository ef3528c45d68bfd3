/** Deadline: the time a run may take. It stands still while the user is asked, and while the run waits for its turn. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { Clock } from '../util/clock.ts';

export class Deadline {
  private readonly clock: Clock;
  private readonly expiry = new AbortController();
  /** Questions that are open. */
  private readonly asked = new Set<string>();
  private left: number;
  private runningSince = 0;
  private timer: AbortController | undefined;

  constructor(clock: Clock, milliseconds: number) {
    this.clock = clock;
    this.left = milliseconds;
    this.start();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.expiry.signal;
  }

  get hasExpired(): boolean {
    return this.expiry.signal.aborted;
  }

  /** Receives every event of the run. */
  note(event: AgentEvent): void {
    const question = idOfQuestion(event);
    if (question === undefined) return;
    const { id, isOpen } = question;
    if (isOpen) this.asked.add(id);
    else if (!this.asked.delete(id)) return;
    if (this.asked.size === 0) this.start();
    else this.stop();
  }

  release(): void {
    this.stop();
  }

  private start(): void {
    if (this.timer || this.hasExpired) return;
    const timer = new AbortController();
    this.timer = timer;
    this.runningSince = this.clock.now();
    // A rejection means that the clock was stopped.
    this.clock.sleep(this.left, timer.signal).then(
      () => this.expiry.abort(),
      () => undefined,
    );
  }

  private stop(): void {
    if (!this.timer) return;
    this.left = Math.max(0, this.left - (this.clock.now() - this.runningSince));
    this.timer.abort();
    this.timer = undefined;
  }
}

function idOfQuestion(event: AgentEvent): { id: string; isOpen: boolean } | undefined {
  switch (event.type) {
    case GeminiEventType.ToolCallConfirmation:
      return { id: event.value.request.callId, isOpen: true };
    case GeminiEventType.FallbackRequested:
      return { id: event.requestId, isOpen: true };
    case GeminiEventType.FallbackAnswered:
      return { id: event.requestId, isOpen: false };
    case 'tool_call_updated':
      return event.status === 'awaiting_approval' && event.outcome === undefined
        ? undefined
        : { id: event.callId, isOpen: false };
    default:
      return undefined;
  }
}
