/**
 * createLoggedGenerator: a ContentGenerator whose requests and answers are reported to
 * telemetry, each once when it has ended. It changes nothing of what passes through.
 */

import type { ContentGenerator, LlmRole } from '../model/content-generator.ts';
import type { GenerateContentParameters, GenerateContentResponse, UsageMetadata } from '../protocol/content.ts';
import { extractStatusCode, getErrorMessage } from '../protocol/errors.ts';
import type { EventTelemetry } from './event-telemetry.ts';
import { METRICS } from './metric-names.ts';
import { newSpanId } from './span-ids.ts';
import type { Telemetry } from './telemetry.ts';

export function createLoggedGenerator(
  inner: ContentGenerator,
  telemetry: Telemetry,
  events: EventTelemetry,
): ContentGenerator {
  const begin = (request: GenerateContentParameters, prompt_id: string, role: LlmRole) =>
    new LoggedRequest({ request, prompt_id, role, telemetry, events });
  return {
    async generateContent(request, prompt_id, role) {
      const log = begin(request, prompt_id, role);
      try {
        const response = await inner.generateContent(request, prompt_id, role);
        log.see(response);
        log.end();
        return response;
      } catch (error) {
        log.end({ error });
        throw error;
      }
    },

    async generateContentStream(request, prompt_id, role) {
      const log = begin(request, prompt_id, role);
      try {
        return logStream(await inner.generateContentStream(request, prompt_id, role), log);
      } catch (error) {
        log.end({ error });
        throw error;
      }
    },

    countTokens: (request) => inner.countTokens(request),
    embedContent: (request) => inner.embedContent(request),
  };
}

async function* logStream(
  stream: AsyncGenerator<GenerateContentResponse>,
  log: LoggedRequest,
): AsyncGenerator<GenerateContentResponse, void> {
  try {
    for await (const response of stream) {
      log.see(response);
      yield response;
    }
  } catch (error) {
    log.end({ error });
    throw error;
  } finally {
    log.end();
  }
}

interface LoggedRequestOptions {
  request: GenerateContentParameters;
  prompt_id: string;
  role: LlmRole;
  telemetry: Telemetry;
  events: EventTelemetry;
}

/** Of one answer; longer ones are cut in the record, not in the run. */
const MAX_TEXT = 100_000;

class LoggedRequest {
  private readonly options: LoggedRequestOptions;
  private readonly startTime: number;
  private readonly finishReasons = new Set<string>();
  private usage: UsageMetadata | undefined;
  private text = '';
  private hasEnded = false;

  constructor(options: LoggedRequestOptions) {
    this.options = options;
    const { telemetry, request, prompt_id, role } = options;
    this.startTime = telemetry.clock.now();
    telemetry.log('gemini_cli.api_request', `API request to ${request.model}.`, {
      model: request.model,
      prompt_id,
      role,
      request_text: telemetry.logPrompts ? JSON.stringify(request.contents).slice(0, MAX_TEXT) : undefined,
    });
  }

  see({ usageMetadata, candidates }: GenerateContentResponse): void {
    this.usage = usageMetadata ?? this.usage;
    const candidate = candidates?.[0];
    if (candidate?.finishReason) this.finishReasons.add(candidate.finishReason);
    if (!this.options.telemetry.logPrompts || this.text.length >= MAX_TEXT) return;
    for (const part of candidate?.content?.parts ?? [])
      if (part.text !== undefined && !part.thought) this.text += part.text;
  }

  /** Counts once; what comes after the first is not heard. */
  end(failure?: { error: unknown }): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { telemetry, request, prompt_id, role, events } = this.options;
    const { model } = request;
    const endTime = telemetry.clock.now();
    const duration_ms = endTime - this.startTime;
    const status_code = failure ? extractStatusCode(failure.error) : 200;
    const common = { model, prompt_id, role, duration_ms, status_code };
    if (failure) {
      const error = getErrorMessage(failure.error);
      telemetry.log('gemini_cli.api_error', `API error for ${model}: ${error}`, { ...common, error });
    } else {
      telemetry.log('gemini_cli.api_response', `API response from ${model}. Duration: ${duration_ms}ms.`, {
        ...common,
        ...toTokenCounts(this.usage),
        finish_reasons: [...this.finishReasons],
        response_text: telemetry.logPrompts ? this.text : undefined,
      });
    }
    telemetry.metrics.count(METRICS.requests, { model, status_code });
    telemetry.metrics.record(METRICS.requestLatency, { model }, duration_ms);
    for (const [type, count] of tokenKinds(this.usage)) telemetry.metrics.count(METRICS.tokens, { model, type }, count);
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
