/**
 * What a chat yields while it sends: frames of the attempt under way, the end of
 * a failed attempt, and what the model hooks decided.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import type { FallbackAnsweredEvent, FallbackRequestedEvent } from '../protocol/agent-events.ts';
import type { RetryValue } from '../protocol/events.ts';

export enum StreamEventType {
  /** A frame of the current attempt. */
  CHUNK = 'chunk',
  /** The attempt so far is void and another begins. */
  RETRY = 'retry',
  AGENT_EXECUTION_STOPPED = 'agent_execution_stopped',
  AGENT_EXECUTION_BLOCKED = 'agent_execution_blocked',
  /** A person is asked whether another model may take over; the answer comes by call. */
  FALLBACK = 'fallback',
}

export type StreamEvent =
  | { type: StreamEventType.CHUNK; value: GenerateContentResponse }
  | { type: StreamEventType.RETRY; value?: RetryValue }
  | { type: StreamEventType.AGENT_EXECUTION_STOPPED; reason: string; hook?: string }
  | { type: StreamEventType.AGENT_EXECUTION_BLOCKED; reason: string; hook?: string }
  | { type: StreamEventType.FALLBACK; value: FallbackRequestedEvent | FallbackAnsweredEvent };

const STREAM_EVENT_TYPES: ReadonlySet<unknown> = new Set(Object.values(StreamEventType));

/** The one tolerant door: older chats yield bare responses, newer ones stream events. */
export function toStreamEvent(item: StreamEvent | GenerateContentResponse): StreamEvent {
  return 'type' in item && STREAM_EVENT_TYPES.has(item.type)
    ? item
    : { type: StreamEventType.CHUNK, value: item as GenerateContentResponse };
}
