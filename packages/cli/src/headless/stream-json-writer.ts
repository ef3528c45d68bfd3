/**
 * Writes the run as one JSON object per line, as it happens. The types are Gemini CLI's; ours are `retry`, which voids
 * the assistant's deltas since the turn began, and, where a program answers, the questions and the end of each prompt.
 * `result` is always the last line.
 */

import { assertNever, GeminiEventType } from '@castor/core';
import { describeRequestFailure, toStreamStats } from '@castor/core/program';
import type {
  AgentEvent,
  FallbackRequestedEvent,
  PromptEndedEvent,
  ServerToolCallConfirmationDetails,
  SessionMetrics,
  ToolCallResponseInfo,
} from '@castor/core';
import type { Output } from '../output.ts';
import { noteSessionEvent } from './session-note.ts';
import { describeOverflow } from './run-summary.ts';
import { toJson } from '../to-json.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

export interface StreamJsonOptions {
  sessionId: string;
  /** As requested, unresolved. */
  model: string;
  /** A program writes to stdin: it receives the questions and the end of each prompt. */
  isConversation?: boolean;
  now?: () => Date;
}

const CHILD_LINES: ReadonlySet<AgentEvent['type']> = new Set<AgentEvent['type']>([
  GeminiEventType.Content,
  GeminiEventType.ToolCallRequest,
  GeminiEventType.ToolCallResponse,
  GeminiEventType.Retry,
  GeminiEventType.Error,
  'prompt_ended',
]);

export class StreamJsonWriter implements HeadlessWriter {
  private readonly output: Output;
  private readonly options: StreamJsonOptions;
  private hasSaidStop = false;
  /** The call whose child the written line is about. */
  private parent: string | undefined;
  /** Why a hook denied the running prompt. */
  private refusal: string | undefined;

  constructor(output: Output, options: StreamJsonOptions) {
    this.output = output;
    this.options = options;
  }

  begin(): Promise<void> | undefined {
    const { sessionId, model } = this.options;
    return this.line('init', { session_id: sessionId, model });
  }

  prompt(text: string): Promise<void> | undefined {
    return this.line('message', { role: 'user', content: text });
  }

  /** Reports an invalid input message. */
  problem(severity: 'warning' | 'error', message: string): Promise<void> | undefined {
    return this.line('error', { severity, message });
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
        const { attempt, maxAttempts, delayMs, error: { message, status } = {} } = event.value ?? {};
        return this.line('retry', { attempt, max_attempts: maxAttempts, delay_ms: delayMs, message, status });
      }
      case GeminiEventType.Error:
        return this.problem('error', describeRequestFailure(event.value.error));
      case GeminiEventType.InvalidStream:
        return this.problem('error', describeRequestFailure(event.value));
      case GeminiEventType.LoopDetected:
        return this.problem('warning', 'Loop detected, stopping execution');
      case GeminiEventType.MaxSessionTurns:
        return this.problem('error', 'Maximum session turns exceeded');
      case GeminiEventType.ContextWindowWillOverflow:
        return this.problem('error', describeOverflow(event.value));
      case GeminiEventType.AgentExecutionStopped:
        this.hasSaidStop = true;
        return this.problem('warning', `Agent execution stopped: ${event.value.systemMessage ?? event.value.reason}`);
      case GeminiEventType.AgentExecutionBlocked:
        this.refusal = event.value.reason;
        this.output.note(`[WARNING] Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
        return this.problem('warning', `Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
      case GeminiEventType.Finished:
        if (event.value.reason === 'STOP') return undefined;
        return this.problem('warning', `The model stopped with ${event.value.reason}.`);
      case 'hook_message':
      case 'notice':
      case 'background_ended':
      case 'mode_changed':
      case 'tools_changed':
        noteSessionEvent(this.output, event);
        return undefined;
      case GeminiEventType.ToolCallConfirmation:
        return this.options.isConversation
          ? this.line('tool_confirmation', toConfirmation(event.value, event.parentCallId))
          : undefined;
      case 'fallback_requested':
        return this.options.isConversation ? this.line('fallback_request', toFallbackRequest(event)) : undefined;
      case 'prompt_ended':
        return this.promptEnded(event);
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Thought:
      case GeminiEventType.Citation:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.ChatCompressed:
      case 'prompt_started':
      case 'tool_call_updated':
      case 'fallback_answered':
        return undefined;
      default:
        return assertNever(event);
    }
  }

  /** In a frame of its own, so that a reader of answers and calls never takes a child's for the session's. */
  writeChild(event: AgentEvent): Promise<void> | undefined {
    if (!CHILD_LINES.has(event.type)) return undefined;
    this.parent = event.parentCallId;
    try {
      if (event.type !== 'prompt_ended') return this.write(event);
      const { outcome, error, detail } = event;
      return this.line('prompt_ended', { outcome, message: error?.message ?? detail });
    } finally {
      this.parent = undefined;
    }
  }

  end({ summary, metrics, durationMs, refused }: RunEnd): Promise<void> | undefined {
    const { error, budget, blocked, structured } = summary;
    const { code: _exitCode, ...told } = error ?? {};
    // For the user who reads the log of a job; a program parses the line.
    if (error) this.output.note(`castor: ${error.message}`);
    return this.line('result', {
      status: error ? 'error' : 'success',
      ...(error && { error: told }),
      ...(budget && { budget }),
      ...(blocked && { blocked }),
      ...(structured !== undefined && { structured }),
      ...(refused && { airgap: { refused } }),
      stats: toStreamStats(metrics, error ? 0 : durationMs),
    });
  }

  /** What the run has spent up to now: a worker of a batch knows it also when the run is killed. */
  spent(metrics: SessionMetrics): void {
    const told = { stats: toStreamStats(metrics, 0) };
    void this.line('spent', told);
    // Written before anything else happens.
    void this.output.drained().then(async () => {
      // The disk is full: what was spent is told all the same.
      if (this.output.failure)
        (await import('./write-in-place.ts')).writeInPlace(toJson({ type: 'spent', ...told }), 1);
    });
  }

  private async promptEnded({ outcome, error, detail, budget }: PromptEndedEvent): Promise<void> {
    if (outcome === 'stopped' && !this.hasSaidStop) await this.problem('warning', `Agent execution stopped: ${detail}`);
    this.hasSaidStop = false;
    // The reason is the answer: the model gave none.
    if (outcome === 'blocked' && this.refusal !== undefined) {
      await this.line('message', { role: 'assistant', content: this.refusal, delta: true });
    }
    this.refusal = undefined;
    if (outcome === 'budget_exceeded') await this.problem('error', detail ?? 'The budget of this run is spent.');
    if (!this.options.isConversation) return;
    const message = error ? describeRequestFailure(error) : detail;
    await this.line('prompt_ended', {
      outcome,
      ...(message !== undefined && { message }),
      ...(budget && { budget }),
    });
  }

  private line(type: string, fields: object): Promise<void> | undefined {
    const timestamp = (this.options.now?.() ?? new Date()).toISOString();
    const { parent } = this;
    const line =
      parent === undefined
        ? { type, timestamp, ...fields }
        : { type: 'agent_event', timestamp, parent_tool_id: parent, event: { type, ...fields } };
    return this.output.answer(`${toJson(line)}\n`);
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

function toConfirmation(
  { request, details, agent, problem }: ServerToolCallConfirmationDetails,
  parent: string | undefined,
): object {
  const { type: kind, ...rest } = details;
  return {
    tool_id: request.callId,
    tool_name: request.name,
    kind,
    details: rest,
    ...(agent !== undefined && { agent_name: agent, parent_tool_id: parent }),
    ...(problem !== undefined && { problem }),
  };
}

function toFallbackRequest({ requestId, failedModel, fallbackModel, message }: FallbackRequestedEvent): object {
  return { request_id: requestId, failed_model: failedModel, fallback_model: fallbackModel, message };
}
