/**
 * The run as one JSON object a line, as it happens. The types are Gemini CLI's; ours
 * besides them is `retry`, which voids the assistant's deltas since the turn began.
 * `result` is always the last line.
 */

import { assertNever, GeminiEventType, toStreamStats } from '@castor/core';
import type { AgentEvent, ToolCallResponseInfo } from '@castor/core';
import type { Output } from '../output.ts';
import { toJson } from './to-json.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

export interface StreamJsonOptions {
  sessionId: string;
  /** As it was asked for, unresolved. */
  model: string;
  now?: () => Date;
}

export class StreamJsonWriter implements HeadlessWriter {
  private readonly output: Output;
  private readonly options: StreamJsonOptions;

  constructor(output: Output, options: StreamJsonOptions) {
    this.output = output;
    this.options = options;
  }

  async begin(prompt: string): Promise<void> {
    const { sessionId, model } = this.options;
    await this.line('init', { session_id: sessionId, model });
    await this.line('message', { role: 'user', content: prompt });
  }

  write(event: AgentEvent): Promise<void> | undefined {
    switch (event.type) {
      case GeminiEventType.Content:
        return this.line('message', { role: 'assistant', content: event.value, delta: true });
      case GeminiEventType.ToolCallRequest: {
        const { name, callId, args } = event.value;
        return this.line('tool_use', { tool_name: name, tool_id: callId, parameters: args });
      }
      case GeminiEventType.ToolCallResponse:
        return this.line('tool_result', toToolResult(event.value));
      case GeminiEventType.Retry: {
        const { attempt, maxAttempts, delayMs, error } = event.value ?? {};
        return this.line('retry', { attempt, max_attempts: maxAttempts, delay_ms: delayMs, message: error?.message });
      }
      case GeminiEventType.Error:
        return this.problem('error', event.value.error.message);
      case GeminiEventType.InvalidStream:
        return this.problem('error', event.value.message);
      case GeminiEventType.LoopDetected:
        return this.problem('warning', 'Loop detected, stopping execution');
      case GeminiEventType.MaxSessionTurns:
        return this.problem('error', 'Maximum session turns exceeded');
      case GeminiEventType.ContextWindowWillOverflow: {
        const { estimatedRequestTokenCount, remainingTokenCount } = event.value;
        return this.problem(
          'error',
          `The request (about ${estimatedRequestTokenCount} tokens) does not fit; ${remainingTokenCount} tokens are left.`,
        );
      }
      case GeminiEventType.AgentExecutionStopped:
        return this.problem('warning', `Agent execution stopped: ${event.value.systemMessage ?? event.value.reason}`);
      case GeminiEventType.AgentExecutionBlocked:
        return this.problem('warning', `Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
      case GeminiEventType.Finished:
        if (event.value.reason === 'STOP') return undefined;
        return this.problem('warning', `The model stopped with ${event.value.reason}.`);
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Thought:
      case GeminiEventType.Citation:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.ChatCompressed:
      case GeminiEventType.ToolCallConfirmation:
      case 'prompt_started':
      case 'prompt_ended':
      case 'tool_call_updated':
      case 'fallback_requested':
      case 'fallback_answered':
        return undefined;
      default:
        return assertNever(event);
    }
  }

  end({ summary, metrics, durationMs }: RunEnd): Promise<void> | undefined {
    const { error } = summary;
    return this.line('result', {
      status: error ? 'error' : 'success',
      ...(error && { error: { type: error.type, message: error.message } }),
      stats: toStreamStats(metrics, error ? 0 : durationMs),
    });
  }

  private problem(severity: 'warning' | 'error', message: string): Promise<void> | undefined {
    return this.line('error', { severity, message });
  }

  private line(type: string, fields: object): Promise<void> | undefined {
    const timestamp = (this.options.now?.() ?? new Date()).toISOString();
    return this.output.answer(`${toJson({ type, timestamp, ...fields })}\n`);
  }
}

/** A cancelled call counts as success, as scripts expect. */
function toToolResult({ callId, error, errorType, resultDisplay }: ToolCallResponseInfo): object {
  return {
    tool_id: callId,
    status: error ? 'error' : 'success',
    ...(typeof resultDisplay === 'string' && { output: resultDisplay }),
    ...(error && { error: { type: errorType ?? 'unknown', message: error.message } }),
  };
}
