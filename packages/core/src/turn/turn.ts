/**
 * Turn: one request to the model and its streamed response, as typed events. It translates frames and classifies how
 * a turn ended; it neither retries nor runs tools. Within a frame the order is thought*, content?,
 * tool_call_request*, citation?, finished?.
 */

import { completeFunctionCall } from '../chat/call-ids.ts';
import { createUserContent } from '../chat/parts.ts';
import { getCitations, getFunctionCalls, getResponseText, getThoughts } from '../chat/response.ts';
import { StreamEventType, toStreamEvent } from '../chat/stream-events.ts';
import type { StreamEvent } from '../chat/stream-events.ts';
import type { LlmRole } from '../provider/content-generator.ts';
import type { ModelConfigKey } from '../routing/model-config.ts';
import type {
  Content,
  FinishReason,
  FunctionCall,
  GenerateContentResponse,
  PartListUnion,
} from '../protocol/content.ts';
import { extractStatusCode, getErrorMessage } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type {
  AgentExecutionValue,
  ServerGeminiContentEvent,
  ServerGeminiStreamEvent,
  ServerGeminiThoughtEvent,
  ServerGeminiToolCallRequestEvent,
} from '../protocol/events.ts';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { debugLogger } from '../util/debug-logger.ts';
import { countOf, shorten } from '../util/short-text.ts';
import { reportError } from './report-error.ts';
import { toFailureEvent } from './turn-failure.ts';
import type { ReportError } from './turn-failure.ts';

/** Characters of a request or a message that the debug log shows. */
const DESCRIBED_LENGTH = 2000;

const FORMS = 'Use run(request, signal) or run(model, request, signal).';

type StreamItem = StreamEvent | GenerateContentResponse;

/** The parts of a chat that a turn uses. Streams of bare responses and of stream events are both supported. */
export interface TurnChat {
  readonly model?: string;
  sendMessageStream(
    model: ModelConfigKey | string,
    message: PartListUnion,
    prompt_id: string,
    signal: AbortSignal,
    role?: LlmRole,
  ): AsyncIterable<StreamItem> | Promise<AsyncIterable<StreamItem>>;
  getHistory(curated?: boolean): Content[];
  /** Adds to an error what the service does not report. */
  maybeIncludeSchemaDepthContext?(error: StructuredError): Promise<void>;
}

export interface TurnOptions {
  role?: LlmRole;
  /** Default: `reportError`, which writes to the temporary directory. */
  reportError?: ReportError;
  clock?: Clock;
}

export class Turn {
  readonly pendingToolCalls: ToolCallRequestInfo[] = [];
  finishReason: FinishReason | undefined = undefined;

  protected readonly prompt_id: string;
  private readonly chat: TurnChat;
  private readonly options: TurnOptions;
  private readonly debugResponses: GenerateContentResponse[] = [];
  private readonly pendingCitations = new Set<string>();
  /** The answer so far. Kept apart from the responses, of which a subclass may keep fewer. */
  private texts: string[] = [];
  /** Failed attempts that were followed by another. */
  private retries = 0;

  constructor(chat: TurnChat, prompt_id: string, options: TurnOptions = {}) {
    this.chat = chat;
    this.prompt_id = prompt_id;
    this.options = options;
  }

  /**
   * Yields the turn's events and never throws, except `UnauthorizedError`. An abort ends it with `user_cancelled`,
   * whatever else failed at that moment.
   */
  run(request: PartListUnion, signal: AbortSignal): AsyncGenerator<ServerGeminiStreamEvent, void>;
  run(
    model: ModelConfigKey | string,
    request: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<ServerGeminiStreamEvent, void>;
  run(...args: RunArguments): AsyncGenerator<ServerGeminiStreamEvent, void> {
    const [model, request, signal] = args.length === 2 ? [this.chat.model ?? '', ...args] : args;
    if (typeof signal?.aborted !== 'boolean') throw new TypeError(`The signal is missing. ${FORMS}`);
    return this.send(model, request, signal);
  }

  private async *send(
    model: ModelConfigKey | string,
    request: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<ServerGeminiStreamEvent, void> {
    const { role = 'main' } = this.options;
    const asked = () => `${typeof model === 'string' ? model : model.model}: ${describeRequest(request)}`;
    if (debugLogger.isEnabled) debugLogger.debug(`request of ${this.prompt_id} to ${asked()}`);
    this.retries = 0;
    try {
      for await (const item of await this.chat.sendMessageStream(model, request, this.prompt_id, signal, role)) {
        if (signal.aborted) break;
        const event = toStreamEvent(item);
        yield* this.translate(event);
        if (event.type === StreamEventType.AGENT_EXECUTION_STOPPED) return;
      }
      if (signal.aborted) yield { type: GeminiEventType.UserCancelled };
    } catch (error) {
      if (debugLogger.isEnabled && !signal.aborted) {
        debugLogger.error(`${describeFailure(error, this.retries + 1)}; request to ${asked()}`);
      }
      yield await toFailureEvent(error, {
        signal,
        attempts: this.retries + 1,
        report: (friendly) => this.report(friendly, request),
        explain: async (structured) => this.chat.maybeIncludeSchemaDepthContext?.(structured),
      });
    }
  }

  /** The conversation up to and including this request. */
  getContents(request: PartListUnion): Content[] {
    return [...this.chat.getHistory(true), createUserContent(request)];
  }

  getDebugResponses(): GenerateContentResponse[] {
    return this.debugResponses;
  }

  /** The answer as it was streamed. */
  getResponseText(): string {
    if (this.texts.length > 1) this.texts = [this.texts.join('')];
    return this.texts[0] ?? '';
  }

  protected addDebugResponse(response: GenerateContentResponse): void {
    this.debugResponses.push(response);
  }

  /** A failed attempt is void, here too. */
  protected dropDebugResponses(): void {
    this.debugResponses.length = 0;
  }

  private translate(event: StreamEvent): ServerGeminiStreamEvent[] {
    switch (event.type) {
      case StreamEventType.CHUNK:
        return event.value ? this.translateChunk(event.value) : [];
      case StreamEventType.RETRY:
        this.reset();
        this.retries += 1;
        return [{ type: GeminiEventType.Retry, ...(event.value && { value: event.value }) }];
      case StreamEventType.AGENT_EXECUTION_STOPPED:
        return [{ type: GeminiEventType.AgentExecutionStopped, value: decisionOf(event) }];
      case StreamEventType.AGENT_EXECUTION_BLOCKED:
        return [{ type: GeminiEventType.AgentExecutionBlocked, value: decisionOf(event) }];
      case StreamEventType.FALLBACK:
        return [event.value];
    }
  }

  private translateChunk(response: GenerateContentResponse): ServerGeminiStreamEvent[] {
    const events: ServerGeminiStreamEvent[] = [];
    this.addDebugResponse(response);
    const traceId = response.responseId;
    for (const value of getThoughts(response)) events.push(traced({ type: GeminiEventType.Thought, value }, traceId));
    const text = getResponseText(response);
    if (text) {
      this.texts.push(text);
      events.push(traced({ type: GeminiEventType.Content, value: text }, traceId));
    }
    for (const call of getFunctionCalls(response)) {
      events.push(this.handlePendingFunctionCall(call, traceId));
    }
    for (const citation of getCitations(response)) this.pendingCitations.add(citation);
    if (response.candidates?.[0]?.finishReason) events.push(...this.translateFinish(response));
    return events;
  }

  /** Registers the call; the service may omit its name and id, and a model may repeat an id. */
  private handlePendingFunctionCall(fnCall: FunctionCall, traceId?: string): ServerGeminiToolCallRequestEvent {
    const isTaken = (id: string) => this.pendingToolCalls.some((pending) => pending.callId === id);
    const { id: callId, name, args } = completeFunctionCall(fnCall, isTaken, this.clock);
    const { prompt_id } = this;
    const value: ToolCallRequestInfo = { callId, name, args, isClientInitiated: false, prompt_id };
    if (traceId) value.traceId = traceId;
    this.pendingToolCalls.push(value);
    return { type: GeminiEventType.ToolCallRequest, value };
  }

  private report(error: unknown, request: PartListUnion): Promise<void> {
    const { reportError: report = reportError } = this.options;
    const where = 'Turn.run-sendMessageStream';
    return report(error, 'Error when talking to Gemini API', this.getContents(request), where);
  }

  private translateFinish({ candidates, usageMetadata }: GenerateContentResponse): ServerGeminiStreamEvent[] {
    const reason = candidates?.[0]?.finishReason;
    const citations = [...this.pendingCitations].toSorted();
    this.pendingCitations.clear();
    this.finishReason = reason;
    return [
      ...(citations.length > 0
        ? [{ type: GeminiEventType.Citation as const, value: `Citations:\n${citations.join('\n')}` }]
        : []),
      { type: GeminiEventType.Finished, value: { reason, usageMetadata } },
    ];
  }

  private get clock(): Clock {
    return this.options.clock ?? systemClock;
  }

  /** Drops the responses, the text and the calls. */
  protected forget(): void {
    this.dropDebugResponses();
    this.texts = [];
    this.pendingToolCalls.length = 0;
  }

  private reset(): void {
    this.forget();
    this.pendingCitations.clear();
    this.finishReason = undefined;
  }
}

function decisionOf({ reason, hook }: { reason: string; hook?: string }): AgentExecutionValue {
  return { reason, ...(hook !== undefined && { hook }) };
}

type RunArguments =
  | [request: PartListUnion, signal: AbortSignal]
  | [model: ModelConfigKey | string, request: PartListUnion, signal: AbortSignal];

function traced(
  event: ServerGeminiContentEvent | ServerGeminiThoughtEvent,
  traceId: string | undefined,
): ServerGeminiStreamEvent {
  if (traceId) event.traceId = traceId;
  return event;
}

function describeRequest(request: PartListUnion): string {
  return shorten(JSON.stringify(request), DESCRIBED_LENGTH);
}

function describeFailure(error: unknown, attempts: number): string {
  const status = extractStatusCode(error);
  const said = shorten(getErrorMessage(error), DESCRIBED_LENGTH);
  return `The turn failed after ${countOf(attempts, 'attempt')}, ${status ? `status ${status}` : 'no status'}: ${said}`;
}
