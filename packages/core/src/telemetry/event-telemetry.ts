/**
 * EventTelemetry: the session's events and closed calls as telemetry records. One more
 * reader of the stream every surface reads; it changes nothing and keeps little more
 * than the time a prompt began.
 */

import type { AgentEvent, Outcome } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ChatCompressionInfo, RetryValue } from '../protocol/events.ts';
import type { ToolCallResponseInfo } from '../protocol/tool-calls.ts';
import { METRICS } from './metric-names.ts';
import { newSpanId, newTraceId } from './span-ids.ts';
import type { Telemetry } from './telemetry.ts';

/** A call that has its response. */
export interface ClosedCall {
  name: string;
  args: Record<string, unknown>;
  prompt_id: string;
  succeeded: boolean;
  durationMs: number;
  decision: 'accept' | 'reject' | 'modify' | 'auto_accept' | undefined;
  response: ToolCallResponseInfo;
}

interface OpenPrompt {
  traceId: string;
  spanId: string;
  startTime: number;
}

export class EventTelemetry {
  private readonly telemetry: Telemetry;
  private readonly prompts = new Map<string, OpenPrompt>();
  private approvals = 0;
  private turns = 0;

  constructor(telemetry: Telemetry) {
    this.telemetry = telemetry;
    telemetry.metrics.count(METRICS.sessions, {});
  }

  /** Where spans of a prompt belong. */
  traceOf(prompt_id: string): { traceId: string; parentSpanId?: string } {
    const prompt = this.prompts.get(prompt_id);
    return prompt ? { traceId: prompt.traceId, parentSpanId: prompt.spanId } : { traceId: newTraceId() };
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
        return;
      case GeminiEventType.ToolCallConfirmation:
        this.approvals += 1;
        return;
      case GeminiEventType.ChatCompressed:
        if (event.value) this.compressed(event.value);
        return;
      case GeminiEventType.Retry:
        if (event.value) this.retried(event.value);
        return;
      case GeminiEventType.LoopDetected:
        this.telemetry.log('loop_detected', 'Loop detected.', {});
        return;
      case GeminiEventType.InvalidStream:
        this.telemetry.log('gemini_cli.chat.content_retry_failure', event.value.message, {
          final_error_type: event.value.type,
        });
        return;
      case 'fallback_answered':
        if (event.intent.startsWith('retry_') && event.intent !== 'retry_later') {
          this.telemetry.log('gemini_cli.flash_fallback', 'Switching to another model.', { intent: event.intent });
        }
        return;
      default:
        // Every other event says nothing that is recorded.
        return;
    }
  }

  called({ name, args, prompt_id, succeeded, durationMs, decision, response }: ClosedCall): void {
    const { telemetry } = this;
    const server = /^mcp_([^_]+)_/.exec(name)?.[1];
    const kind = server === undefined ? 'native' : 'mcp';
    telemetry.log('gemini_cli.tool_call', `Tool call: ${name}. Success: ${succeeded}. Duration: ${durationMs}ms.`, {
      function_name: name,
      function_args: telemetry.logPrompts ? JSON.stringify(args, null, 2) : undefined,
      duration_ms: durationMs,
      success: succeeded,
      decision,
      error: response.error?.message,
      error_type: response.errorType,
      prompt_id,
      tool_type: kind,
      mcp_server_name: server,
      content_length: response.contentLength,
    });
    const attributes = { function_name: name, success: succeeded, decision, tool_type: kind };
    telemetry.metrics.count(METRICS.calls, attributes);
    telemetry.metrics.record(METRICS.callLatency, { function_name: name }, durationMs);
    const endTime = telemetry.clock.now();
    telemetry.span({
      ...this.traceOf(prompt_id),
      spanId: newSpanId(),
      name: `execute_tool ${name}`,
      startTime: endTime - durationMs,
      endTime,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, prompt_id },
      ...(response.error && { error: response.error.message }),
    });
    if (response.outputFile !== undefined) {
      telemetry.log('gemini_cli.tool_output_truncated', `Output of ${name} was kept in a file.`, {
        tool_name: name,
        prompt_id,
      });
    }
  }

  private began(prompt_id: string, prompt: string): void {
    const startTime = this.telemetry.clock.now();
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
    this.telemetry.log('gemini_cli.conversation_finished', 'The agent is idle again.', {
      prompt_id,
      outcome,
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

  private compressed({ originalTokenCount, newTokenCount }: ChatCompressionInfo): void {
    const attributes = { tokens_before: originalTokenCount, tokens_after: newTokenCount };
    this.telemetry.log('gemini_cli.chat_compression', 'The history was compressed.', attributes);
    this.telemetry.metrics.count(METRICS.compressions, attributes);
  }

  private retried({ attempt, maxAttempts, delayMs, model, error }: RetryValue): void {
    const attributes = { attempt, max_attempts: maxAttempts, delay_ms: delayMs, model, error: error.message };
    const isContent = error.status === undefined;
    const name = isContent ? 'gemini_cli.chat.content_retry' : 'gemini_cli.network_retry_attempt';
    this.telemetry.log(name, `Attempt ${attempt} of ${maxAttempts} failed.`, attributes);
    this.telemetry.metrics.count(METRICS.retries, { model });
  }
}
