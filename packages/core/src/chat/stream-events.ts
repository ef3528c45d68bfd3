/**
 * The events a chat yields during a send: frames of the current attempt, the end of a failed attempt, and the
 * decisions of the model hooks.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import type { FallbackAnsweredEvent, FallbackRequestedEvent } from '../protocol/agent-events.ts';
import type { RetryValue } from '../protocol/events.ts';

export enum StreamEventType {
  /** A frame of the current attempt. */
  CHUNK = 'chunk',
  /** The attempt so far is void and another starts. */
  RETRY = 'retry',
  AGENT_EXECUTION_STOPPED = 'agent_execution_stopped',
  AGENT_EXECUTION_BLOCKED = 'agent_execution_blocked',
  /** The user is asked whether another model may replace the failed one; the answer arrives by a method call. */
  FALLBACK = 'fallback',
}

export type StreamEvent =
  | { type: StreamEventType.CHUNK; value: GenerateContentResponse }
  | { type: StreamEventType.RETRY; value?: RetryValue }
  | { type: StreamEventType.AGENT_EXECUTION_STOPPED; reason: string; hook?: string }
  | { type: StreamEventType.AGENT_EXECUTION_BLOCKED; reason: string; hook?: string }
  | { type: StreamEventType.FALLBACK; value: FallbackRequestedEvent | FallbackAnsweredEvent };

const STREAM_EVENT_TYPES: ReadonlySet<unknown> = new Set(Object.values(StreamEventType));

/** Accepts both forms: older chats yield bare responses, newer ones stream events. */
export function toStreamEvent(item: StreamEvent | GenerateContentResponse): StreamEvent {
  return 'type' in item && STREAM_EVENT_TYPES.has(item.type)
    ? item
    : { type: StreamEventType.CHUNK, value: item as GenerateContentResponse };
}
