/**
 * RequestTelemetry: converts one request to a model into telemetry records, under Gemini CLI's names and
 * OpenTelemetry's. It ends once; later calls are ignored.
 */

import type { LlmRole } from '../provider/content-generator.ts';
import type { GenerateContentParameters, GenerateContentResponse, Part, UsageMetadata } from '../protocol/content.ts';
import { extractStatusCode, getErrorMessage, toStructuredError } from '../protocol/errors.ts';
import type { EventTelemetry } from './event-telemetry.ts';
import { toInputMessages, toOutputMessages, toSystemInstructions } from './gen-ai-messages.ts';
import { METRICS } from './metric-names.ts';
import type { Attributes } from './signals.ts';
import { newSpanId } from './span-ids.ts';
import type { Telemetry } from './telemetry.ts';

export interface RequestTelemetryOptions {
  request: GenerateContentParameters;
  prompt_id: string;
  role: LlmRole;
  telemetry: Telemetry;
  events: EventTelemetry;
}

export interface RequestFailure {
  error: unknown;
}

/** Per answer; longer ones are truncated in the record, not in the run. */
const MAX_TEXT = 100_000;

export class RequestTelemetry {
  private readonly options: RequestTelemetryOptions;
  private readonly startTime: number;
  private readonly finishReasons = new Set<string>();
  private usage: UsageMetadata | undefined;
  private responseModel: string | undefined;
  private text = '';
  private readonly otherParts: Part[] = [];
  private hasEnded = false;

  constructor(options: RequestTelemetryOptions) {
    this.options = options;
    const { telemetry, request, prompt_id, role, events } = options;
    this.startTime = telemetry.clock.now();
    if (role === 'main') events.attempted(request.model);
    telemetry.log('gemini_cli.api_request', `API request to ${request.model}.`, {
      model: request.model,
      prompt_id,
      role,
      request_text: telemetry.logPrompts ? JSON.stringify(request.contents).slice(0, MAX_TEXT) : undefined,
    });
  }

  see(response: GenerateContentResponse): void {
    const { usageMetadata, candidates, modelVersion } = response;
    this.usage = usageMetadata ?? this.usage;
    this.responseModel = modelVersion ?? this.responseModel;
    const candidate = candidates?.[0];
    if (candidate?.finishReason) this.finishReasons.add(candidate.finishReason);
    if (saysNothing(response)) this.seeInvalid();
    if (!this.options.telemetry.logPrompts || this.text.length >= MAX_TEXT) return;
    for (const part of candidate?.content?.parts ?? []) this.keep(part);
  }

  end(failure?: RequestFailure): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const endTime = this.options.telemetry.clock.now();
    const duration_ms = endTime - this.startTime;
    if (failure) this.logError(failure, duration_ms);
    else this.logResponse(duration_ms);
    this.count(failure, duration_ms);
    this.logOperation(failure, duration_ms);
    this.addSpan(failure, endTime);
  }

  private keep(part: Part | undefined): void {
    if (part?.text !== undefined && !part.thought) this.text += part.text;
    else if (part?.functionCall && this.options.telemetry.traces) this.otherParts.push(part);
  }

  private seeInvalid(): void {
    const { telemetry } = this.options;
    const message = 'A frame of the answer is empty.';
    telemetry.log('gemini_cli.chat.invalid_chunk', message, { 'error.message': message });
    telemetry.metrics.count(METRICS.invalidChunks, {});
  }

  private logError({ error }: RequestFailure, duration_ms: number): void {
    const { telemetry, request, prompt_id, role } = this.options;
    const { model } = request;
    const message = getErrorMessage(error);
    telemetry.log('gemini_cli.api_error', `API error for ${model}: ${message}`, {
      model,
      prompt_id,
      role,
      duration_ms,
      status_code: extractStatusCode(error),
      error: message,
      error_type: errorType(error),
      'error.message': message,
      model_name: model,
      duration: duration_ms,
    });
  }

  private logResponse(duration_ms: number): void {
    const { telemetry, request, prompt_id, role } = this.options;
    const { model } = request;
    telemetry.log('gemini_cli.api_response', `API response from ${model}. Duration: ${duration_ms}ms.`, {
      model,
      prompt_id,
      role,
      duration_ms,
      status_code: 200,
      ...toTokenCounts(this.usage),
      finish_reasons: [...this.finishReasons],
      response_text: telemetry.logPrompts ? this.text : undefined,
    });
  }

  private count(failure: RequestFailure | undefined, duration_ms: number): void {
    const { telemetry, request } = this.options;
    const { model } = request;
    const { metrics } = telemetry;
    const status_code = failure ? extractStatusCode(failure.error) : 200;
    metrics.count(METRICS.requests, { model, status_code, error_type: failure && errorType(failure.error) });
    metrics.record(METRICS.requestLatency, { model }, duration_ms);
    for (const [type, count] of tokenKinds(this.usage)) metrics.count(METRICS.tokens, { model, type }, count);
    const { promptTokenCount = 0, cachedContentTokenCount = 0 } = this.usage ?? {};
    if (promptTokenCount === 0) return;
    const attributes = { model, metric: 'cache_hit_rate' };
    metrics.record(METRICS.tokenEfficiency, attributes, cachedContentTokenCount / promptTokenCount);
  }

  /** Under OpenTelemetry's own names. */
  private logOperation(failure: RequestFailure | undefined, duration_ms: number): void {
    const { telemetry, request } = this.options;
    const common: Attributes = {
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': telemetry.provider,
      'gen_ai.request.model': request.model,
      'gen_ai.response.model': this.responseModel,
      ...telemetry.server,
      'error.type': failure && errorType(failure.error),
    };
    telemetry.metrics.record(METRICS.genAiDuration, common, duration_ms / 1_000);
    const { promptTokenCount: input, candidatesTokenCount: output } = this.usage ?? {};
    for (const [type, count] of Object.entries({ input, output })) {
      if (count === undefined) continue;
      telemetry.metrics.record(METRICS.genAiTokens, { ...common, 'gen_ai.token.type': type }, count);
    }
    telemetry.log('gen_ai.client.inference.operation.details', `GenAI operation with ${request.model}.`, {
      ...common,
      'gen_ai.response.finish_reasons': [...this.finishReasons],
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      ...toSampling(request.config),
      ...this.words(),
    });
  }

  /** Only where both traces and prompt logging are enabled. */
  private words(): Attributes {
    const { telemetry, request } = this.options;
    if (!telemetry.traces || !telemetry.logPrompts) return {};
    const instruction = request.config?.systemInstruction;
    const parts = [...(this.text === '' ? [] : [{ text: this.text }]), ...this.otherParts];
    return {
      'gen_ai.input.messages': toInputMessages(request.contents),
      'gen_ai.output.messages': toOutputMessages(parts, [...this.finishReasons].at(-1)),
      'gen_ai.system_instructions': instruction && toSystemInstructions(instruction),
    };
  }

  private addSpan(failure: RequestFailure | undefined, endTime: number): void {
    const { telemetry, request, prompt_id, role, events } = this.options;
    const { model } = request;
    telemetry.span({
      ...events.traceOf(prompt_id),
      spanId: newSpanId(),
      name: `chat ${model}`,
      startTime: this.startTime,
      endTime,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, prompt_id, role },
      ...(failure && { error: getErrorMessage(failure.error) }),
    });
  }
}

/** The frame carries no content, no finish reason, no usage and no reason for a missing answer. */
function saysNothing({ candidates, usageMetadata, promptFeedback }: GenerateContentResponse): boolean {
  if (usageMetadata || promptFeedback) return false;
  const [candidate] = candidates ?? [];
  if (!candidate || candidate.finishReason) return !candidate;
  return (candidate.content?.parts ?? []).every((part) => !part || Object.values(part).every((value) => value === ''));
}

function errorType(error: unknown): string {
  return toStructuredError(error).reason ?? (error instanceof Error ? error.name : 'unknown');
}

function toSampling(config: GenerateContentParameters['config'] = {}): Attributes {
  return {
    'gen_ai.request.temperature': config.temperature,
    'gen_ai.request.top_p': config.topP,
    'gen_ai.request.top_k': config.topK,
    'gen_ai.request.max_tokens': config.maxOutputTokens,
  };
}

function toTokenCounts(usage: UsageMetadata = {}) {
  return {
    input_token_count: usage.promptTokenCount ?? 0,
    output_token_count: usage.candidatesTokenCount ?? 0,
    cached_content_token_count: usage.cachedContentTokenCount ?? 0,
    thoughts_token_count: usage.thoughtsTokenCount ?? 0,
    tool_token_count: usage.toolUsePromptTokenCount ?? 0,
    total_token_count: usage.totalTokenCount ?? 0,
  };
}

function tokenKinds(usage: UsageMetadata = {}): [type: string, count: number][] {
  const kinds: [string, number | undefined][] = [
    ['input', usage.promptTokenCount],
    ['output', usage.candidatesTokenCount],
    ['cache', usage.cachedContentTokenCount],
    ['thought', usage.thoughtsTokenCount],
    ['tool', usage.toolUsePromptTokenCount],
  ];
  return kinds.filter((kind): kind is [string, number] => (kind[1] ?? 0) > 0);
}
