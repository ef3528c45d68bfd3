/** Holds calls that wait for the user's approval. `respond` delivers the answer; the signal ends the wait. */

import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import { createAbortError } from '../util/clock.ts';
import type { Answer } from './ports.ts';

export class Approvals {
  private readonly waiting = new Map<string, (answer: Answer) => void>();

  /** Rejects with AbortError. */
  async wait(callId: string, signal: AbortSignal): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onAbort = () => {
      this.waiting.delete(callId);
      reject(createAbortError(signal));
    };
    this.waiting.set(callId, resolve);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      this.waiting.delete(callId);
      signal.removeEventListener('abort', onAbort);
    }
  }

  isWaiting(callId: string): boolean {
    return this.waiting.has(callId);
  }

  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void {
    const resolve = this.waiting.get(callId);
    if (!resolve) throw new Error(`No call with the id ${callId} is waiting for an answer.`);
    resolve({ outcome, payload });
  }
}
