/**
 * Decides after a turn whether the prompt is finished or the model continues, and with which request. One union,
 * decided in one place; nothing here calls the client again.
 */

import type { Content, Part } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiErrorEvent, ServerGeminiStreamEvent } from '../protocol/events.ts';

export type ContinuationReason =
  | 'invalid_stream'
  | 'silent_end'
  | 'loop_recovery'
  | 'next_speaker'
  | 'hook_blocked'
  | 'invalid_answer'
  | 'overflow';

export type Continuation =
  /** `isTooLarge`: the unsent request was too large, so it must not be kept whole either. */
  | { kind: 'stop'; event?: ServerGeminiStreamEvent; isTooLarge?: boolean }
  | { kind: 'again'; why: ContinuationReason; request: Part[]; event?: ServerGeminiStreamEvent };

/** The outcome of a turn, as far as the continuation depends on it. */
export type TurnEnd = 'finished' | 'failed' | 'invalid' | 'stopped' | 'cancelled';

/** Undefined for an event that does not end the turn. */
export function toTurnEnd(event: ServerGeminiStreamEvent): TurnEnd | undefined {
  switch (event.type) {
    case GeminiEventType.Error:
      return 'failed';
    case GeminiEventType.InvalidStream:
      return 'invalid';
    case GeminiEventType.AgentExecutionStopped:
    case GeminiEventType.AgentExecutionBlocked:
      return 'stopped';
    case GeminiEventType.UserCancelled:
      return 'cancelled';
    default:
      return undefined;
  }
}

/** Whether the provider rejected the request because it exceeds the model's window. */
export function isOverflow(event: ServerGeminiStreamEvent): event is ServerGeminiErrorEvent {
  return event.type === GeminiEventType.Error && event.value.error.reason === 'context_overflow';
}

export const STOP: Continuation = { kind: 'stop' };
export const STOP_TOO_LARGE: Continuation = { kind: 'stop', isTooLarge: true };

export function again(why: ContinuationReason, text: string, event?: ServerGeminiStreamEvent): Continuation {
  return { kind: 'again', why, request: [{ text }], ...(event && { event }) };
}

export const CONTINUE_AFTER_INVALID_STREAM = 'System: Please continue.';
export const CONTINUE_AFTER_SILENCE =
  'System: Your last turn was empty. Go on with the task, or say in a few words what came of it.';
export const SILENT_END: Continuation = {
  kind: 'stop',
  event: {
    type: GeminiEventType.InvalidStream,
    value: {
      type: 'NO_RESPONSE_TEXT',
      message: 'The model ended after its tool calls without an answer, even after a request to continue.',
    },
  },
};
export const CONTINUE_AS_NEXT_SPEAKER = 'Please continue.';

export function toLoopRecovery(detail: string | undefined): string {
  return (
    `System: Potential loop detected. Details: ${detail ?? 'the last steps repeat'}. ` +
    'Take a step back: what do you know now, and what have you not tried? ' +
    'Do not repeat the last action. Change your approach, or say what you need from the user.'
  );
}

/** A response to each call of a model turn none of whose calls ran. */
export function toUnrunResponses(content: Content | undefined): Part[] {
  if (content?.role !== 'model') return [];
  return (content.parts ?? []).flatMap(({ functionCall }) => {
    if (!functionCall) return [];
    const { id, name } = functionCall;
    const response = { error: 'Not run: the call repeats an earlier call.' };
    return [{ functionResponse: { ...(id !== undefined && { id }), ...(name !== undefined && { name }), response } }];
  });
}

const LEFT_OUT = 'The call was carried out. Its result was omitted: it exceeds the remaining context window.';

/** The response to a call without its large content. */
export function withoutResult(part: Part): Part {
  if (!part.functionResponse) return part;
  const { parts: _media, ...rest } = part.functionResponse;
  return { functionResponse: { ...rest, response: { error: LEFT_OUT } } };
}

export function hasResponses(request: readonly Part[]): boolean {
  return request.some((part) => part.functionResponse);
}

/** Puts pending tool responses in front of the request that replaces theirs. */
export function withResponses(then: Extract<Continuation, { kind: 'again' }>, request: readonly Part[]): Continuation {
  return hasResponses(request) ? { ...then, request: [...request, ...then.request] } : then;
}
