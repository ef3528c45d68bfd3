/** Decides how a prompt ends from its events and completed calls. Pure. */

import { FinishReason } from '../protocol/content.ts';
import type { AgentEvent, Outcome, PromptEndedEvent, SpentBudget } from '../protocol/agent-events.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { describeRequestFailure } from '../protocol/failure-sentence.ts';
import type { CompletedToolCall } from '../protocol/tool-calls.ts';

/** How the prompt ended, and why. */
export interface Ending {
  outcome: Outcome;
  error?: StructuredError;
  detail?: string;
  budget?: SpentBudget;
  reason?: NonNullable<PromptEndedEvent['reason']>;
}

/** A consumer that leaves ends the prompt before another ending is known. */
export const ABANDONED: Ending = { outcome: 'cancelled', detail: 'The consumer stopped reading the events.' };
export const EMPTY: Ending = {
  outcome: 'failed',
  error: { message: 'The prompt is empty.' },
};

/** One shared object: every piece of an answer maps to it. */
export const COMPLETED: Ending = { outcome: 'completed' };

/** Maps the events that decide how a prompt ends; a later one overrides an earlier one. */
export function toEnding(event: AgentEvent): Ending | undefined {
  switch (event.type) {
    case GeminiEventType.UserCancelled:
      return { outcome: 'cancelled' };
    case GeminiEventType.Error:
      return { outcome: 'failed', error: event.value.error };
    case GeminiEventType.InvalidStream:
      return { outcome: 'invalid_stream', reason: event.value.type, detail: describeRequestFailure(event.value) };
    case GeminiEventType.LoopDetected:
      return { outcome: 'loop_detected' };
    case GeminiEventType.MaxSessionTurns:
      return { outcome: 'max_turns' };
    case GeminiEventType.ContextWindowWillOverflow:
      return { outcome: 'overflow' };
    case GeminiEventType.AgentExecutionStopped:
      return { outcome: 'stopped', detail: event.value.reason };
    case GeminiEventType.AgentExecutionBlocked:
      return { outcome: 'blocked', detail: event.value.reason };
    case GeminiEventType.Finished: {
      const { reason = FinishReason.STOP } = event.value;
      return reason === FinishReason.STOP ? COMPLETED : { outcome: 'completed', reason };
    }
    case GeminiEventType.Content:
      // The model continued after a hook or a failure sent it back.
      return COMPLETED;
    default:
      return undefined;
  }
}

/** A tool ended the prompt, or the user declined every call. */
export function toStop(completed: readonly CompletedToolCall[]): Ending | undefined {
  const stopped = completed.find(({ response }) => response.errorType === 'stop_execution');
  if (stopped) return { outcome: 'stopped', detail: stopped.response.error?.message ?? 'A hook stopped the agent.' };
  const isCancelled = completed.length > 0 && completed.every(({ status }) => status === 'cancelled');
  return isCancelled ? { outcome: 'cancelled', detail: 'The call was declined.' } : undefined;
}
