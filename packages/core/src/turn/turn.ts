/**
 * Turn: one request to the model and its streamed response, as typed events. It
 * translates frames and classifies how a turn ended; it neither retries nor runs
 * tools. Within a frame the order is thought*, content?, tool_call_request*,
 * citation?, finished?.
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
  Tool,
} from '../protocol/content.ts';
import type { FallbackAnsweredEvent, FallbackRequestedEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type {
  ServerGeminiContentEvent,
  ServerGeminiStreamEvent,
  ServerGeminiThoughtEvent,
} from '../protocol/events.ts';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { TurnErrorHandler } from './turn-error-handler.ts';
import type { ReportError } from './turn-error-handler.ts';

type StreamItem = StreamEvent | GenerateContentResponse;

/** What a turn yields: the stream events, and the question whether another model may take over. */
export type TurnEvent = ServerGeminiStreamEvent | FallbackRequestedEvent | FallbackAnsweredEvent;

/** What a turn needs of a chat. Streams of bare responses and of stream events are both understood. */
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
  getTools?(): readonly Tool[];
}

export interface TurnOptions {
  role?: LlmRole;
  reportError?: ReportError;
  clock?: Clock;
}

export class Turn {
  readonly pendingToolCalls: ToolCallRequestInfo[] = [];
  finishReason: FinishReason | undefined = undefined;

  protected readonly prompt_id: string;
  private readonly chat: TurnChat;
  private readonly options: TurnOptions;
  private readonly errorHandler: TurnErrorHandler;
  private readonly debugResponses: GenerateContentResponse[] = [];
  private readonly pendingCitations = new Set<string>();
  private responseText: { of: number; text: string } | undefined;

  constructor(chat: TurnChat, prompt_id: string, options: TurnOptions = {}) {
    this.chat = chat;
    this.prompt_id = prompt_id;
    this.options = options;
    this.errorHandler = new TurnErrorHandler(options);
  }

  /**
   * Yields the turn's events and never throws, save `UnauthorizedError`. An abort
   * ends it with `user_cancelled`, whatever else went wrong at that moment.
   */
  run(request: PartListUnion, signal: AbortSignal): AsyncGenerator<TurnEvent, void>;
  run(model: ModelConfigKey | string, request: PartListUnion, signal: AbortSignal): AsyncGenerator<TurnEvent, void>;
  run(...args: RunArguments): AsyncGenerator<TurnEvent, void> {
    const [model, request, signal] = args.length === 2 ? [this.chat.model ?? '', ...args] : args;
    return this.send(model, request, signal);
  }

  private async *send(
    model: ModelConfigKey | string,
    request: PartListUnion,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void> {
    const { role = 'main' } = this.options;
    try {
      for await (const item of await this.chat.sendMessageStream(model, request, this.prompt_id, signal, role)) {
        if (signal.aborted) break;
        const event = toStreamEvent(item);
        yield* this.translate(event);
        if (event.type === StreamEventType.AGENT_EXECUTION_STOPPED) return;
      }
      if (signal.aborted) yield { type: GeminiEventType.UserCancelled };
    } catch (error) {
      const event = await this.errorHandler.handleError(error, {
        signal,
        history: () => [...this.chat.getHistory(true), createUserContent(request)],
        tools: this.chat.getTools?.() ?? [],
      });
      yield event;
    }
  }

  getDebugResponses(): GenerateContentResponse[] {
    return this.debugResponses;
  }

  /** The text of all responses of the turn, joined by single spaces. */
  getResponseText(): string {
    const responses = this.getDebugResponses();
    if (this.responseText?.of !== responses.length) {
      this.responseText = { of: responses.length, text: joinText(responses) };
    }
    return this.responseText.text;
  }

  protected addDebugResponse(response: GenerateContentResponse): void {
    this.debugResponses.push(response);
  }

  /** A failed attempt is void, here too. */
  protected dropDebugResponses(): void {
    this.debugResponses.length = 0;
  }

  private translate(event: StreamEvent): TurnEvent[] {
    switch (event.type) {
      case StreamEventType.CHUNK:
        return event.value ? this.translateChunk(event.value) : [];
      case StreamEventType.RETRY:
        this.reset();
        return [{ type: GeminiEventType.Retry, ...(event.value && { value: event.value }) }];
      case StreamEventType.AGENT_EXECUTION_STOPPED:
        return [{ type: GeminiEventType.AgentExecutionStopped, value: { reason: event.reason } }];
      case StreamEventType.AGENT_EXECUTION_BLOCKED:
        return [{ type: GeminiEventType.AgentExecutionBlocked, value: { reason: event.reason } }];
      case StreamEventType.FALLBACK:
        return [event.value];
    }
  }

  private translateChunk(response: GenerateContentResponse): TurnEvent[] {
    const events: TurnEvent[] = [];
    this.addDebugResponse(response);
    const traceId = response.responseId;
    for (const value of getThoughts(response)) events.push(traced({ type: GeminiEventType.Thought, value }, traceId));
    const text = getResponseText(response);
    if (text) events.push(traced({ type: GeminiEventType.Content, value: text }, traceId));
    for (const call of getFunctionCalls(response)) {
      events.push({ type: GeminiEventType.ToolCallRequest, value: this.register(call, traceId) });
    }
    for (const citation of getCitations(response)) this.pendingCitations.add(citation);
    if (response.candidates?.[0]?.finishReason) events.push(...this.translateFinish(response));
    return events;
  }

  private register(call: FunctionCall, traceId: string | undefined): ToolCallRequestInfo {
    const isTaken = (id: string) => this.pendingToolCalls.some((pending) => pending.callId === id);
    const { id: callId, name, args } = completeFunctionCall(call, isTaken, this.clock);
    const { prompt_id } = this;
    const request: ToolCallRequestInfo = { callId, name, args, isClientInitiated: false, prompt_id };
    if (traceId) request.traceId = traceId;
    this.pendingToolCalls.push(request);
    return request;
  }

  private translateFinish({ candidates, usageMetadata }: GenerateContentResponse): TurnEvent[] {
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

  private reset(): void {
    this.dropDebugResponses();
    this.pendingToolCalls.length = 0;
    this.pendingCitations.clear();
    this.finishReason = undefined;
  }
}

type RunArguments =
  | [request: PartListUnion, signal: AbortSignal]
  | [model: ModelConfigKey | string, request: PartListUnion, signal: AbortSignal];

function traced(event: ServerGeminiContentEvent | ServerGeminiThoughtEvent, traceId: string | undefined): TurnEvent {
  if (traceId) event.traceId = traceId;
  return event;
}

function joinText(responses: readonly GenerateContentResponse[]): string {
  return responses.map(getResponseText).filter(Boolean).join(' ');
}
