/**
 * Folds a turn's events into one result. Exists for the documented consumers in this room: the runtime reads the
 * events themselves.
 */

import type { FinishReason, GenerateContentResponse, PartListUnion, UsageMetadata } from '../protocol/content.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent, ThoughtSummary } from '../protocol/events.ts';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';

/** Any object with the `run` of a `Turn`. */
export interface RunnableTurn {
  run(request: PartListUnion, signal: AbortSignal): AsyncIterable<ServerGeminiStreamEvent>;
}

export type TurnStatus = 'completed' | 'cancelled' | 'failed' | 'stopped';

export interface CollectedTurn {
  /** `failed` until an event reports how the turn ended. */
  status: TurnStatus;
  /** The answer, without the text of voided attempts. */
  content: string;
  toolCalls: ToolCallRequestInfo[];
  thoughts: ThoughtSummary[];
  citations: string[];
  errors: StructuredError[];
  finishReason: FinishReason | undefined;
  usageMetadata: UsageMetadata | undefined;
}

export interface TurnResult extends CollectedTurn {
  /** The model ended its turn. */
  finished: boolean;
  debugResponses: GenerateContentResponse[];
}

export class TurnCollector {
  private collected = emptyTurn();

  get turn(): CollectedTurn {
    return this.collected;
  }

  /** Whether the model ended its turn. */
  get isFinished(): boolean {
    return this.collected.status === 'completed';
  }

  add(event: ServerGeminiStreamEvent): void {
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
        this.collected = emptyTurn();
        return;
      default:
        this.addEnding(event);
    }
  }

  fail(error: StructuredError): void {
    this.collected.status = 'failed';
    this.collected.errors.push(error);
  }

  private addEnding(event: ServerGeminiStreamEvent): void {
    const { collected } = this;
    if (event.type === GeminiEventType.UserCancelled) collected.status = 'cancelled';
    if (event.type === GeminiEventType.AgentExecutionStopped) collected.status = 'stopped';
    if (event.type === GeminiEventType.Error) this.fail(event.value.error);
    if (event.type === GeminiEventType.InvalidStream) {
      const { type: reason, ...error } = event.value;
      this.fail({ ...error, reason });
    }
  }
}

export function emptyTurn(): CollectedTurn {
  return {
    status: 'failed',
    content: '',
    toolCalls: [],
    thoughts: [],
    citations: [],
    errors: [],
    finishReason: undefined,
    usageMetadata: undefined,
  };
}
