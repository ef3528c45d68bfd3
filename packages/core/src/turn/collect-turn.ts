/** The fold of a turn's events into one result, shared by the consumers in this room. */

import type { FinishReason, PartListUnion, UsageMetadata } from '../protocol/content.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { TurnEvent } from './turn.ts';

/** Anything that runs like a `Turn`. */
export interface RunnableTurn {
  run(request: PartListUnion, signal: AbortSignal): AsyncIterable<TurnEvent>;
}

export type TurnStatus = 'completed' | 'cancelled' | 'failed' | 'stopped';

export interface TurnResult {
  status: TurnStatus;
  /** The answer; nothing of a voided attempt is in it. */
  content: string;
  thoughts: ThoughtSummary[];
  toolCalls: ToolCallRequestInfo[];
  citations: string[];
  finishReason: FinishReason | undefined;
  usageMetadata: UsageMetadata | undefined;
  error: StructuredError | undefined;
}

export class TurnCollector {
  private collected = emptyResult();

  add(event: TurnEvent): void {
    const { collected } = this;
    switch (event.type) {
      case GeminiEventType.Content:
        collected.content += event.value;
        return;
      case GeminiEventType.Thought:
        collected.thoughts.push(event.value);
        return;
      case GeminiEventType.ToolCallRequest:
        collected.toolCalls.push(event.value);
        return;
      case GeminiEventType.Citation:
        collected.citations.push(event.value);
        return;
      case GeminiEventType.Finished:
        collected.status = 'completed';
        collected.finishReason = event.value.reason;
        collected.usageMetadata = event.value.usageMetadata;
        return;
      case GeminiEventType.Retry:
        this.collected = emptyResult();
        return;
      default:
        this.addEnding(event);
    }
  }

  /** Until an event says how the turn ended, it failed. */
  get result(): TurnResult {
    return this.collected;
  }

  private addEnding(event: TurnEvent): void {
    const { collected } = this;
    if (event.type === GeminiEventType.UserCancelled) collected.status = 'cancelled';
    if (event.type === GeminiEventType.AgentExecutionStopped) collected.status = 'stopped';
    if (event.type === GeminiEventType.Error) this.fail(event.value.error);
    if (event.type === GeminiEventType.InvalidStream) {
      this.fail({ message: event.value.message, reason: event.value.type });
    }
  }

  private fail(error: StructuredError): void {
    this.collected.status = 'failed';
    this.collected.error = error;
  }
}

function emptyResult(): TurnResult {
  return {
    status: 'failed',
    content: '',
    thoughts: [],
    toolCalls: [],
    citations: [],
    finishReason: undefined,
    usageMetadata: undefined,
    error: undefined,
  };
}
