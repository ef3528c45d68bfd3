/**
 * FallbackQuestions: questions that wait for the user's answer. A question is open from `open` until it is answered
 * or its asker's signal is aborted. It does not know the effect of an answer.
 */

import type { FallbackIntent } from '../protocol/agent-events.ts';
import { untilAborted } from '../util/abort.ts';

/** Unknown or already answered question. */
export class UnknownQuestionError extends Error {
  override readonly name = 'UnknownQuestionError';
}

export interface OpenQuestion {
  readonly requestId: string;
  /** Rejects with an AbortError, and withdraws the question, when the signal is aborted first. */
  wait(signal: AbortSignal): Promise<FallbackIntent>;
}

export class FallbackQuestions {
  private readonly pending = new Map<string, (intent: FallbackIntent) => void>();
  private count = 0;

  /** The answer may arrive before the wait starts. */
  open(): OpenQuestion {
    this.count += 1;
    const requestId = `fallback-${this.count}`;
    const { promise, resolve } = Promise.withResolvers<FallbackIntent>();
    this.pending.set(requestId, resolve);
    return { requestId, wait: (signal) => this.wait(requestId, promise, signal) };
  }

  isOpen(requestId: string): boolean {
    return this.pending.has(requestId);
  }

  /** Throws UnknownQuestionError. */
  answer(requestId: string, intent: FallbackIntent): void {
    const resolve = this.pending.get(requestId);
    if (!resolve) throw new UnknownQuestionError(`No question "${requestId}" is open.`);
    this.pending.delete(requestId);
    resolve(intent);
  }

  private async wait(
    requestId: string,
    answered: Promise<FallbackIntent>,
    signal: AbortSignal,
  ): Promise<FallbackIntent> {
    try {
      return await untilAborted(answered, signal);
    } finally {
      this.pending.delete(requestId);
    }
  }
}
