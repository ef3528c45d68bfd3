/**
 * EventTelemetry: converts the session's events into telemetry records. It reads the same stream as every surface,
 * changes nothing and stores little more than the start times of a prompt and a turn.
 */

import type { AgentEvent, Outcome } from '../protocol/agent-events.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { InvalidStreamEventValue, RetryValue } from '../protocol/events.ts';
import type { ApprovalModes } from './approval-modes.ts';
import { CallTelemetry } from './call-telemetry.ts';
import { METRICS } from './metric-names.ts';
import { newSpanId, newTraceId } from './span-ids.ts';
import type { Telemetry } from './telemetry.ts';

/** Listed explicitly: other failures happen before there is an answer to judge. */
const CONTENT_ERRORS: Readonly<Record<InvalidStreamErrorType, true>> = {
  NO_FINISH_REASON: true,
  NO_RESPONSE_TEXT: true,
  MALFORMED_FUNCTION_CALL: true,
  UNEXPECTED_TOOL_CALL: true,
  MAX_TOKENS_EXCEEDED: true,
  SAFETY_BLOCKED: true,
  RECITATION_BLOCKED: true,
  OTHER_BLOCKED: true,
  THINKING_ONLY_RESPONSE: true,
  INVALID_ANSWER: true,
};

interface OpenPrompt {
  traceId: string;
  spanId: string;
  startTime: number;
}

interface OpenTurn {
  model: string;
  startTime: number;
  attempts: number;
}

export class EventTelemetry {
  readonly calls: CallTelemetry;
  /** Of the current prompt, or the last one. */
  prompt_id = '';
  /** How the last turn ended. */
  finishReason = '';
  private readonly telemetry: Telemetry;
  private readonly modes: ApprovalModes;
  private readonly prompts = new Map<string, OpenPrompt>();
  private turn: OpenTurn | undefined;
  private approvals = 0;
  private turns = 0;

  constructor(telemetry: Telemetry, modes: ApprovalModes) {
    this.telemetry = telemetry;
    this.modes = modes;
    this.calls = new CallTelemetry(telemetry, (prompt_id) => this.traceOf(prompt_id));
    telemetry.metrics.count(METRICS.sessions, {});
  }

  /** The trace and parent of a prompt's spans. */
  traceOf(prompt_id: string): { traceId: string; parentSpanId?: string } {
    const prompt = this.prompts.get(prompt_id);
    return prompt ? { traceId: prompt.traceId, parentSpanId: prompt.spanId } : { traceId: newTraceId() };
  }

  /** Records that an attempt of a turn is sent. */
  attempted(model: string): void {
    this.turn ??= { model, startTime: this.telemetry.clock.now(), attempts: 0 };
    this.turn.model = model;
    this.turn.attempts += 1;
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case 'prompt_started':
        this.began(event.prompt_id, event.text ?? '');
        return;
      case 'prompt_ended':
        this.ended(event.prompt_id, event.outcome);
        return;
      case GeminiEventType.Finished:
        this.turns += 1;
        this.turn = undefined;
        this.finishReason = event.value.reason ?? '';
        return;
      case GeminiEventType.ToolCallRequest:
        this.calls.requested(event.value.callId);
        return;
      case 'tool_call_updated':
        this.calls.updated(event.callId, event.status);
        return;
      case GeminiEventType.ToolCallConfirmation:
        this.approvals += 1;
        return;
      case GeminiEventType.Retry:
        if (event.value) this.retried(event.value);
        return;
      case GeminiEventType.InvalidStream:
        this.gaveUp(event.value);
        return;
      case 'fallback_answered':
        if (event.intent === 'retry_always' || event.intent === 'retry_once') this.fellBack();
        return;
      default:
        // No other event is recorded.
        return;
    }
  }

  fellBack(): void {
    this.telemetry.log('gemini_cli.flash_fallback', 'Another model takes over.', {});
  }

  private began(prompt_id: string, prompt: string): void {
    const startTime = this.telemetry.clock.now();
    this.prompt_id = prompt_id;
    this.turn = undefined;
    this.prompts.set(prompt_id, { traceId: newTraceId(), spanId: newSpanId(), startTime });
    this.telemetry.log('gemini_cli.user_prompt', `User prompt. Length: ${prompt.length}.`, {
      prompt_length: prompt.length,
      prompt_id,
      prompt: this.telemetry.logPrompts ? prompt : undefined,
    });
  }

  private ended(prompt_id: string, outcome: Outcome): void {
    const prompt = this.prompts.get(prompt_id);
    this.prompts.delete(prompt_id);
    this.calls.forget();
    this.telemetry.log('gemini_cli.conversation_finished', 'The agent is idle again.', {
      prompt_id,
      outcome,
      approvalMode: this.modes.current,
      turnCount: this.turns,
      approvals: this.approvals,
    });
    if (!prompt) return;
    this.telemetry.span({
      ...prompt,
      name: 'invoke_agent castor',
      endTime: this.telemetry.clock.now(),
      attributes: { 'gen_ai.operation.name': 'invoke_agent', prompt_id, outcome },
      ...(outcome !== 'completed' && { error: outcome }),
    });
  }

  private retried({ attempt, maxAttempts, delayMs, model, error }: RetryValue): void {
    const { telemetry } = this;
    const { reason: error_type = 'unknown' } = error;
    const body = `Attempt ${attempt} of ${maxAttempts} failed.`;
    if (error_type in CONTENT_ERRORS) {
      const attributes = { attempt_number: attempt, error_type, retry_delay_ms: delayMs, model };
      telemetry.log('gemini_cli.chat.content_retry', body, attributes);
      telemetry.metrics.count(METRICS.contentRetries, {});
      return;
    }
    const attributes = { attempt, max_attempts: maxAttempts, error_type, delay_ms: delayMs, model };
    telemetry.log('gemini_cli.network_retry_attempt', body, attributes);
    telemetry.metrics.count(METRICS.networkRetries, { model, attempt });
  }

  private gaveUp({ type, message }: InvalidStreamEventValue): void {
    const { telemetry, turn } = this;
    this.turn = undefined;
    telemetry.log('gemini_cli.chat.content_retry_failure', message, {
      total_attempts: turn?.attempts ?? 1,
      final_error_type: type,
      total_duration_ms: turn && telemetry.clock.now() - turn.startTime,
      model: turn?.model,
    });
    telemetry.metrics.count(METRICS.contentRetryFailures, {});
  }
}
