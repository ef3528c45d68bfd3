/**
 * GeminiChat: one conversation with a model. It serialises sends and retries until an attempt returns an acceptable
 * turn. A failed attempt leaves no trace: it adds nothing to the history and hands out no call, and a `retry` event
 * voids the frames shown. An aborted one leaves the text that was shown. Frames starting with the first call or the
 * finish reason are held until the attempt is accepted.
 */

import { RetryPlan } from '../provider/retry-plan.ts';
import type { ModelConfigKey } from '../routing/model-config.ts';
import type { Content, GenerateContentParameters, Tool } from '../protocol/content.ts';
import { isAbortError } from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { untilAborted } from '../util/abort.ts';
import { systemClock, throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import { throughAfterModel } from './after-model.ts';
import { Attempt } from './attempt.ts';
import { throughBeforeModel } from './before-model.ts';
import type { RequestDecision } from './before-model.ts';
import { CallIds } from './call-ids.ts';
import type { GeminiChatOptions } from './gemini-chat-options.ts';
import type { HistoryMark } from './history.ts';
import { assertLegalConversation } from './legality.ts';
import { askAfterModel, endByHook, finished } from './model-hooks.ts';
import { toModelRequest } from './model-request.ts';
import { waitForNextAttempt } from './next-attempt.ts';
import type { FailedAttempt } from './next-attempt.ts';
import { createUserContent, hasFunctionResponse, withoutSignatures } from './parts.ts';
import { RecordedHistory } from './recorded-history.ts';
import { toMessageToSend } from './send-arguments.ts';
import type { MessageToSend, SendArguments } from './send-arguments.ts';
import { isSilent } from './stream-check.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

interface Send extends Omit<MessageToSend, 'message'> {
  content: Content;
  /** The position in the history before the message. */
  mark: HistoryMark;
  afterFunctionResponse: boolean;
  /**
   * An empty answer is acceptable: after tool results, and when the model is asked to continue after such an answer.
   */
  mayBeSilent: boolean;
}

export class GeminiChat {
  private readonly options: GeminiChatOptions;
  private readonly clock: Clock;
  private readonly history: RecordedHistory;
  private readonly callIds: CallIds;
  private readonly queue = new SerialQueue();
  private systemInstruction: string | undefined;
  private tools: Tool[] | undefined;
  private lastPromptId: string | undefined;
  /** The service has answered before, so an unreachable one is likely to return. */
  private wasReached = false;

  constructor(options: GeminiChatOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.history = new RecordedHistory(options.history, options.recorder);
    this.callIds = new CallIds(this.clock);
    this.systemInstruction = options.systemInstruction;
    this.tools = options.tools;
  }

  /**
   * Sends a message and resolves with the stream of its answer. The stream waits for earlier sends to end; it takes
   * its own place in the order when it is first pulled. It throws the error of the last attempt: ApiError,
   * InvalidStreamError, UnauthorizedError, AbortError. After an error the message is not in the history unless it
   * answered calls; after an abort it is, with the shown part of the answer. send-arguments.ts lists the accepted
   * forms.
   */
  async sendMessageStream(...args: SendArguments): Promise<AsyncGenerator<StreamEvent, void>> {
    return this.send(toMessageToSend(args, this.model));
  }

  private async *send(message: MessageToSend): AsyncGenerator<StreamEvent, void> {
    const { generator } = this.options;
    const { prompt_id, signal, role } = message;
    const release = await this.queue.enter(signal);
    let send: Send | undefined;
    let shown: Attempt | undefined;
    try {
      const plan = new RetryPlan(this.options.retry ?? {}, this.clock);
      send = this.begin(message);
      await this.recorded(signal);
      for (;;) {
        const failed: FailedAttempt = { model: send.key.model, phase: 'connect', error: undefined };
        try {
          throwIfAborted(signal);
          const request = yield* this.prepare(send);
          if (!request) return;
          failed.model = request.model;
          const stream = await generator.generateContentStream(request, prompt_id, role);
          failed.phase = 'stream';
          const attempt = new Attempt(this.callIds, this.options.onNotice);
          shown = attempt;
          const ask = askAfterModel(this.options.hooks, request, signal);
          if (ask) {
            if (yield* throughAfterModel({ frames: stream, attempt, signal, ask })) return;
          } else {
            for await (const frame of stream) {
              throwIfAborted(signal);
              const value = attempt.add(frame);
              if (!attempt.hold(value)) yield { type: StreamEventType.CHUNK, value };
            }
          }
          throwIfAborted(signal);
          this.accept(attempt, request.model, send);
          shown = undefined;
          for (const value of attempt.held) yield { type: StreamEventType.CHUNK, value };
          return;
        } catch (error) {
          failed.error = error;
          if (!signal.aborted) shown = undefined;
        }
        const { clock, wasReached } = this;
        const terms = { plan, fallback: this.options.fallback, wasReached, clock, signal };
        send.key = yield* waitForNextAttempt(failed, send.key, terms);
      }
    } catch (error) {
      if (send) this.giveUp(send, error);
      throw error;
    } finally {
      // Here, because a consumer that sees the abort first leaves without an error.
      if (send && signal.aborted) this.keepShown(shown, send);
      release();
    }
  }

  /** Resolves when no send is running. */
  get sendPromise(): Promise<void> {
    return this.queue.idle;
  }

  get model(): string {
    return this.options.model;
  }

  /** A shallow copy; `curated` omits model turns with invalid parts. */
  getHistory(curated = false): Content[] {
    return [...(curated ? this.history.view.curated : this.history.view.comprehensive)];
  }

  getHistoryLength(): number {
    return this.history.view.comprehensive.length;
  }

  getContent(index: number): Content | undefined {
    return this.history.view.comprehensive[index];
  }

  getLastContent(): Content | undefined {
    return this.history.view.last;
  }

  addHistory(content: Content): void {
    this.history.add(content);
  }

  setHistory(history: readonly Content[]): void {
    this.history.replace(history);
  }

  /**
   * Removes this turn and all after it from the history; false when the history does not contain it. Not while a send
   * is running.
   */
  rewindTo(content: Content): boolean {
    return this.history.rewindTo(content);
  }

  clearHistory(): void {
    this.setHistory([]);
  }

  /** Removes the model's signatures, which only the model that created them can read. */
  stripThoughtsFromHistory(): void {
    this.setHistory(this.history.view.comprehensive.map(withoutSignatures));
  }

  setTools(tools: Tool[]): void {
    this.tools = tools;
  }

  getTools(): readonly Tool[] {
    return this.tools ?? [];
  }

  /** Adds to the error the tools whose schemas the model rejects, where that may be the cause. */
  async maybeIncludeSchemaDepthContext(error: StructuredError): Promise<void> {
    const { describeSchemaProblem } = await import('./schema-hint.ts');
    const hint = describeSchemaProblem(error.message, this.getTools());
    if (hint) error.message += `\n${hint}`;
  }

  setSystemInstruction(systemInstruction: string): void {
    this.systemInstruction = systemInstruction;
  }

  getSystemInstruction(): string {
    return this.systemInstruction ?? '';
  }

  /** Size of the last request as counted by the service; a local estimate until then. */
  getLastPromptTokenCount(): number {
    return this.history.promptTokenCount;
  }

  /** An unrecorded chat that starts with this one's history. */
  fork(): GeminiChat {
    const { recorder: _notShared, ...options } = this.options;
    return new GeminiChat({
      ...options,
      history: this.history.view.comprehensive,
      ...(this.systemInstruction !== undefined && { systemInstruction: this.systemInstruction }),
      ...(this.tools && { tools: this.tools }),
    });
  }

  /** Appends the message to the history, before any attempt. */
  private begin({ message, ...terms }: MessageToSend): Send {
    const content = createUserContent(message);
    const { prompt_id } = terms;
    const { last } = this.history.view;
    const goesOn = this.lastPromptId === prompt_id && last !== undefined && isSilent(last);
    this.lastPromptId = prompt_id;
    const mark = this.history.send(content, prompt_id);
    const afterFunctionResponse = hasFunctionResponse(content);
    return { ...terms, content, mark, afterFunctionResponse, mayBeSilent: afterFunctionResponse || goesOn };
  }

  private async recorded(signal: AbortSignal): Promise<void> {
    const settled = this.history.settled();
    if (settled) await untilAborted(settled, signal);
  }

  /** Withdraws a message that was never accepted, unless it reports tool results; an abort keeps it. */
  private giveUp(send: Send, error: unknown): void {
    if (send.signal.aborted || isAbortError(error) || send.afterFunctionResponse) return;
    this.history.withdraw(send.content, send.mark, error);
  }

  /** Keeps the shown part of the answer as the model's turn, so that the next prompt can refer to it. */
  private keepShown(attempt: Attempt | undefined, { key: { model }, prompt_id }: Send): void {
    const content = attempt?.interrupted;
    if (content) this.history.answer({ content, thoughts: attempt.thoughts, model }, prompt_id);
  }

  private accept(attempt: Attempt, model: string, { prompt_id, role, mayBeSilent }: Send): void {
    const { thoughts, usageMetadata } = attempt;
    let content: Content;
    try {
      content = attempt.accept({ mayBeSilent });
    } catch (error) {
      this.options.onUnusableAnswer?.({ model, role, ...(usageMetadata && { usage: usageMetadata }) });
      throw error;
    }
    this.options.fallback?.succeeded?.(model);
    this.wasReached = true;
    this.history.answer({ content, thoughts, model, ...(usageMetadata && { usageMetadata }) }, prompt_id);
  }

  /** Returns the request after the hooks; undefined when one of them ended the send. */
  private async *prepare(send: Send): AsyncGenerator<StreamEvent, GenerateContentParameters | undefined> {
    const { hooks } = this.options;
    const { view } = this.history;
    const asked = this.buildRequest(send);
    const decision: RequestDecision = hooks
      ? await throughBeforeModel(asked, hooks, send.signal)
      : { kind: 'send', request: asked };
    if (decision.kind === 'answer') {
      const attempt = new Attempt(this.callIds);
      const value = attempt.add(finished(decision.response));
      this.accept(attempt, asked.model, send);
      yield { type: StreamEventType.CHUNK, value };
      return undefined;
    }
    if (decision.kind !== 'send') {
      yield* endByHook(decision, 'BeforeModel');
      return undefined;
    }
    const { request } = decision;
    if (request.contents === view.contents) view.assertLegal();
    else assertLegalConversation(request.contents);
    return request;
  }

  private buildRequest({ key, config: own, signal }: Send): GenerateContentParameters {
    const { systemInstruction, tools } = this;
    const { config = {}, resolveModel = ({ model }: ModelConfigKey) => ({ model, config }) } = this.options;
    const { contents } = this.history.view;
    return toModelRequest({ key, resolveModel, contents, systemInstruction, tools, own, signal });
  }
}
