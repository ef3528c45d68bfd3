/**
 * CallTelemetry: converts calls into telemetry records. It stores when a running call entered its current status, and
 * drops the call with its response.
 */

import type { ToolCallStatus } from '../protocol/tool-calls.ts';
import type { DiffStat } from '../protocol/tools.ts';
import type { ClosedCall } from './closed-call.ts';
import { toFileOperation } from './file-operation.ts';
import { METRICS } from './metric-names.ts';
import type { Attributes } from './signals.ts';
import { newSpanId } from './span-ids.ts';
import type { Telemetry } from './telemetry.ts';

/** The phase of a call by status; the user's time to answer is not a phase. */
const PHASES: Readonly<Record<ToolCallStatus, string | undefined>> = {
  validating: 'validation',
  awaiting_approval: undefined,
  scheduled: 'preparation',
  executing: 'execution',
  success: 'result_processing',
  error: 'result_processing',
  cancelled: 'result_processing',
};

interface OpenCall {
  status?: ToolCallStatus;
  since: number;
  phases: [phase: string, milliseconds: number][];
}

/** The trace and parent of a prompt's spans. */
export type TraceOf = (prompt_id: string) => { traceId: string; parentSpanId?: string };

export class CallTelemetry {
  private readonly telemetry: Telemetry;
  private readonly traceOf: TraceOf;
  private readonly open = new Map<string, OpenCall>();

  constructor(telemetry: Telemetry, traceOf: TraceOf) {
    this.telemetry = telemetry;
    this.traceOf = traceOf;
  }

  requested(callId: string): void {
    this.open.set(callId, { since: this.telemetry.clock.now(), phases: [] });
    this.telemetry.metrics.record(METRICS.callQueue, {}, this.open.size);
  }

  updated(callId: string, status: ToolCallStatus): void {
    const call = this.open.get(callId);
    if (call && call.status !== status) this.move(call, status);
  }

  /** Drops the calls a prompt left behind: no more events arrive for them. */
  forget(): void {
    this.open.clear();
  }

  closed(call: ClosedCall): void {
    this.logCall(call);
    this.logPhases(call);
    this.logFile(call);
    this.logWays(call);
    this.addSpan(call);
  }

  private move(call: OpenCall, status: ToolCallStatus | undefined): void {
    const now = this.telemetry.clock.now();
    const phase = call.status && PHASES[call.status];
    if (phase !== undefined) call.phases.push([phase, now - call.since]);
    call.since = now;
    if (status !== undefined) call.status = status;
  }

  private logCall({ name, args, prompt_id, succeeded, durationMs, decision, response }: ClosedCall): void {
    const { telemetry } = this;
    const server = /^mcp_([^_]+)_/.exec(name)?.[1];
    const tool_type = server === undefined ? 'native' : 'mcp';
    // A tool's error message may quote a file or a page.
    const error = telemetry.logPrompts ? response.error?.message : undefined;
    telemetry.log('gemini_cli.tool_call', `Tool call: ${name}. Success: ${succeeded}. Duration: ${durationMs}ms.`, {
      function_name: name,
      function_args: telemetry.logPrompts ? JSON.stringify(args, null, 2) : undefined,
      duration_ms: durationMs,
      success: succeeded,
      decision,
      error,
      error_type: response.errorType,
      prompt_id,
      tool_type,
      mcp_server_name: server,
      content_length: response.contentLength,
      metadata: toMetadata(response),
    });
    telemetry.metrics.count(METRICS.calls, { function_name: name, success: succeeded, decision, tool_type });
    telemetry.metrics.record(METRICS.callLatency, { function_name: name }, durationMs);
  }

  private logPhases({ name, response: { callId } }: ClosedCall): void {
    const call = this.open.get(callId);
    if (!call) return;
    this.open.delete(callId);
    this.move(call, undefined);
    for (const [phase, milliseconds] of call.phases) {
      this.telemetry.metrics.record(METRICS.callPhases, { function_name: name, phase }, milliseconds);
    }
  }

  private logFile(call: ClosedCall): void {
    const { telemetry } = this;
    const operation = toFileOperation(call);
    if (!operation) return;
    const tool_name = call.name;
    telemetry.log('gemini_cli.file_operation', `File operation: ${operation.operation}.`, { tool_name, ...operation });
    telemetry.metrics.count(METRICS.fileOperations, operation);
    const { model_added_lines = 0, model_removed_lines = 0 } = diffStatOf(call.response) ?? {};
    const lines = { added: model_added_lines, removed: model_removed_lines };
    for (const [type, count] of Object.entries(lines)) {
      if (count > 0) telemetry.metrics.count(METRICS.linesChanged, { function_name: tool_name, type }, count);
    }
  }

  /** Records which of several strategies produced a tool's result. */
  private logWays({ name, args, prompt_id, response }: ClosedCall): void {
    const { telemetry } = this;
    const { data = {}, errorType, truncation } = response;
    if (name === 'replace' && typeof data['strategy'] === 'string') {
      const { strategy } = data as { strategy: string };
      telemetry.log('gemini_cli.edit_strategy', `Edit strategy: ${strategy}.`, { strategy });
    }
    if (typeof data['withoutRipgrep'] === 'string') {
      telemetry.log('gemini_cli.ripgrep_fallback', 'Files were searched without ripgrep.', {
        error: data['withoutRipgrep'],
      });
    }
    const hasFailedHere = errorType === 'web_fetch_fallback_failed' && 'prompt' in args;
    if (name === 'web_fetch' && (data['isFetchedHere'] === true || hasFailedHere)) {
      const attributes = { reason: 'primary_failed' };
      telemetry.log('gemini_cli.web_fetch_fallback_attempt', 'Pages were fetched without the service.', attributes);
    }
    if (!truncation) return;
    telemetry.log('gemini_cli.tool_output_truncated', `Output of ${name} was shortened for the model.`, {
      tool_name: name,
      original_content_length: truncation.originalLength,
      truncated_content_length: truncation.shownLength,
      threshold: truncation.threshold,
      prompt_id,
    });
  }

  private addSpan({ name, prompt_id, durationMs, response }: ClosedCall): void {
    const { telemetry } = this;
    const endTime = telemetry.clock.now();
    const { callId, error, errorType } = response;
    telemetry.span({
      ...this.traceOf(prompt_id),
      spanId: newSpanId(),
      name: `execute_tool ${name}`,
      startTime: endTime - durationMs,
      endTime,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call_id': callId,
        prompt_id,
      },
      ...(error && { error: telemetry.logPrompts ? error.message : (errorType ?? 'failed') }),
    });
  }
}

function diffStatOf({ resultDisplay }: ClosedCall['response']): DiffStat | undefined {
  return typeof resultDisplay === 'object' && 'fileDiff' in resultDisplay ? resultDisplay.diffStat : undefined;
}

function toMetadata(response: ClosedCall['response']): Attributes | undefined {
  const diffStat = diffStatOf(response);
  return diffStat && { ...diffStat };
}
