/**
 * GeminiChat: one conversation with a model. It owns the history, orders sends one
 * after another, and makes attempts until one gives an acceptable turn. A failed
 * attempt leaves no trace: nothing of it is in the history, no call of it is handed
 * out, and a `retry` event voids what was shown of it.
 *
 * Text and thoughts are yielded as they arrive; frames from the first call or the
 * finish reason on are held back until the attempt is accepted.
 */

import { RetryPlan } from '../model/retry-plan.ts';
import type { RetryLimits, RetryStep } from '../model/retry-plan.ts';
import { retryRule } from '../model/retry-table.ts';
import type { RetryPhase } from '../model/retry-table.ts';
import { burstsOf } from '../model/burst-stream.ts';
import type { ContentGenerator, LlmRole } from '../model/content-generator.ts';
import { toModelConfigKey } from '../model/model-config.ts';
import type { ModelConfigKey, ModelConfigResolver } from '../model/model-config.ts';
import { estimateTokenCount } from '../model/token-estimate.ts';
import type {
  Content,
  GenerateContentConfig,
  GenerateContentParameters,
  GenerateContentResponse,
  PartListUnion,
  Tool,
  UsageMetadata,
} from '../protocol/content.ts';
import { InvalidStreamError, isAbortError, toStructuredError } from '../protocol/errors.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';
import { askHook, untilAborted } from '../util/abort.ts';
import { oneByOne, splitBursts } from '../util/bursts.ts';
import { systemClock, throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import { throughAfterModel } from './after-model.ts';
import type { HookedStream } from './after-model.ts';
import { Attempt } from './attempt.ts';
import { CallIds } from './call-ids.ts';
import { askForFallback } from './chat-fallback.ts';
import type { ChatFallback } from './chat-fallback.ts';
import type { ChatRecorder } from './chat-recorder.ts';
import { History } from './history.ts';
import type { HistoryMark } from './history.ts';
import { assertLegalConversation } from './legality.ts';
import { separatePlayedMedia } from './played-media.ts';
import { endByHook, finished } from './model-hooks.ts';
import type { ModelHooks } from './model-hooks.ts';
import { createUserContent, hasFunctionResponse, withoutSignatures } from './parts.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

export interface GeminiChatOptions {
  generator: ContentGenerator;
  /** Used by sends that name no model. */
  model: string;
  systemInstruction?: string;
  tools?: Tool[];
  /** Sampling and thinking settings of every request, unless `resolveModel` is given. */
  config?: GenerateContentConfig;
  history?: readonly Content[];
  /** Turns a key into a model and its settings; by default the key's model with `config`. */
  resolveModel?: ModelConfigResolver;
  retry?: RetryLimits;
  /** Asked what to do when a model failed for good; without it the send fails. */
  fallback?: ChatFallback;
  hooks?: ModelHooks;
  recorder?: ChatRecorder;
  /** Told of an answer that arrived whole and is no turn. Must not throw. */
  onUnusableAnswer?: (answer: UnusableAnswer) => void;
  clock?: Clock;
}

export interface UnusableAnswer {
  model: string;
  role: LlmRole;
  usage?: UsageMetadata;
}

export interface SendMessageParameters {
  prompt_id: string;
  signal: AbortSignal;
  role?: LlmRole;
}

/** Asked for on an attempt that follows an answer without words. */
const ANSWER_NUDGE =
  '[System: The last attempt ended without an answer. Give the final answer in plain text now, or call a tool.]';

interface Send extends Required<SendMessageParameters> {
  key: ModelConfigKey;
  content: Content;
  /** Where the history stood before it. */
  mark: HistoryMark;
  afterFunctionResponse: boolean;
}

interface FailedAttempt {
  model: string;
  phase: RetryPhase;
  error: unknown;
}

export class GeminiChat {
  private readonly options: GeminiChatOptions;
  private readonly clock: Clock;
  private readonly history: History;
  private readonly callIds: CallIds;
  private readonly queue = new SerialQueue();
  private systemInstruction: string | undefined;
  private tools: Tool[] | undefined;
  private promptTokenCount: number | undefined;
  /** The service has answered before: one that is gone now may well come back. */
  private wasReached = false;

  constructor(options: GeminiChatOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.history = new History(options.history);
    this.callIds = new CallIds(this.clock);
    this.systemInstruction = options.systemInstruction;
    this.tools = options.tools;
  }

  /**
   * Sends `message` and yields what comes back. Waits for sends before it to end;
   * its own place in the order is taken when the generator is first pulled. Throws
   * what ended the last attempt: ApiError, InvalidStreamError, UnauthorizedError,
   * AbortError. After an error the message is not in the history unless it answered
   * calls; after an abort it is, so that the next prompt can refer to it.
   */
  sendMessageStream(
    model: ModelConfigKey | string,
    message: PartListUnion,
    prompt_id: string,
    signal: AbortSignal,
    role: LlmRole = 'main',
  ): AsyncGenerator<StreamEvent, void> {
    return splitBursts(this.sendInBursts(model, message, prompt_id, signal, role), signal);
  }

  /** `sendMessageStream` with what arrived together in one piece. */
  async *sendInBursts(
    model: ModelConfigKey | string,
    message: PartListUnion,
    prompt_id: string,
    signal: AbortSignal,
    role: LlmRole = 'main',
  ): AsyncGenerator<readonly StreamEvent[], void> {
    const { generator } = this.options;
    const release = await this.queue.enter(signal);
    let send: Send | undefined;
    try {
      const plan = new RetryPlan(this.options.retry ?? {}, this.clock);
      send = this.begin(toModelConfigKey(model), createUserContent(message), { prompt_id, signal, role });
      await this.recorded(signal);
      for (;;) {
        const failed: FailedAttempt = { model: send.key.model, phase: 'connect', error: undefined };
        try {
          throwIfAborted(signal);
          const request = yield* oneByOne(this.prepare(send));
          if (!request) return;
          failed.model = request.model;
          const stream = await generator.generateContentStream(request, prompt_id, role);
          failed.phase = 'stream';
          const attempt = new Attempt(this.callIds);
          const bursts = burstsOf(stream);
          const ask = this.afterModel(request, signal);
          if (ask) {
            if (yield* throughAfterModel({ bursts, attempt, signal, ask })) return;
          } else {
            for await (const burst of bursts) {
              throwIfAborted(signal);
              const shown = showable(burst, attempt);
              if (shown.length > 0) yield shown;
            }
          }
          throwIfAborted(signal);
          this.accept(attempt, request.model, send);
          for (const value of attempt.held) yield [{ type: StreamEventType.CHUNK, value }];
          return;
        } catch (error) {
          failed.error = error;
        }
        yield* oneByOne(this.waitForNextAttempt(failed, send, plan));
      }
    } catch (error) {
      if (send) this.giveUp(send, error);
      throw error;
    } finally {
      release();
    }
  }

  /** Resolves when no send is under way. */
  get sendPromise(): Promise<void> {
    return this.queue.idle;
  }

  get model(): string {
    return this.options.model;
  }

  /** A shallow copy; `curated` leaves out model turns that hold broken parts. */
  getHistory(curated = false): Content[] {
    return [...(curated ? this.history.curated : this.history.comprehensive)];
  }

  getHistoryLength(): number {
    return this.history.comprehensive.length;
  }

  getContent(index: number): Content | undefined {
    return this.history.comprehensive[index];
  }

  getLastContent(): Content | undefined {
    return this.history.last;
  }

  addHistory(content: Content): void {
    this.history.append(content);
    this.options.recorder?.added(content);
  }

  setHistory(history: readonly Content[]): void {
    this.history.replace(history);
    this.promptTokenCount = undefined;
    this.options.recorder?.replaced(history);
  }

  /** This turn and all after it leave the history; false when it is not part of it. Not while a send is under way. */
  rewindTo(content: Content): boolean {
    const index = this.history.comprehensive.indexOf(content);
    if (index < 0) return false;
    this.history.replace(this.history.comprehensive.slice(0, index));
    this.promptTokenCount = undefined;
    this.options.recorder?.withdrawn(content);
    return true;
  }

  clearHistory(): void {
    this.setHistory([]);
  }

  /** Removes the model's signatures, which only the model that made them can read. */
  stripThoughtsFromHistory(): void {
    this.setHistory(this.history.comprehensive.map(withoutSignatures));
  }

  setTools(tools: Tool[]): void {
    this.tools = tools;
  }

  getTools(): readonly Tool[] {
    return this.tools ?? [];
  }

  setSystemInstruction(systemInstruction: string): void {
    this.systemInstruction = systemInstruction;
  }

  /** Size of the last request as the service counted it; a local estimate until it did. */
  getLastPromptTokenCount(): number {
    this.promptTokenCount ??= estimateTokenCount(this.history.comprehensive.flatMap(({ parts }) => parts ?? []));
    return this.promptTokenCount;
  }

  /** A chat of its own that begins with this one's history. Not recorded. */
  fork(): GeminiChat {
    const { recorder: _notShared, ...options } = this.options;
    return new GeminiChat({
      ...options,
      history: this.history.comprehensive,
      ...(this.systemInstruction !== undefined && { systemInstruction: this.systemInstruction }),
      ...(this.tools && { tools: this.tools }),
    });
  }

  /** Puts the message into the history, before any attempt. */
  private begin(key: ModelConfigKey, content: Content, parameters: Required<SendMessageParameters>): Send {
    const mark = this.history.mark();
    const afterFunctionResponse = hasFunctionResponse(content);
    for (const turn of separatePlayedMedia(content)) {
      this.history.append(turn);
      this.options.recorder?.sent(turn, parameters.prompt_id);
    }
    return { ...parameters, key, content, mark, afterFunctionResponse };
  }

  private async recorded(signal: AbortSignal): Promise<void> {
    const settled = this.options.recorder?.settled?.();
    if (settled) await untilAborted(settled, signal);
  }

  /** A message that was never accepted is taken back, unless it says what tools did; an abort leaves it. */
  private giveUp(send: Send, error: unknown): void {
    if (send.signal.aborted || isAbortError(error) || send.afterFunctionResponse) return;
    this.history.rollback(send.mark);
    this.options.recorder?.withdrawn(send.content);
  }

  /** Says that another attempt follows and waits for its time. Throws what failed when none does. */
  private async *waitForNextAttempt(
    failed: FailedAttempt,
    send: Send,
    plan: RetryPlan,
  ): AsyncGenerator<StreamEvent, void> {
    throwIfAborted(send.signal);
    const { wasReached } = this;
    const attemptsBeforeFallback = this.options.fallback?.attemptsBefore?.(failed.model, failed.error);
    const step =
      plan.next(failed.error, failed.phase, { wasReached, attemptsBeforeFallback }) ??
      (yield* this.fallBack(failed, send, plan));
    if (!step) throw failed.error;
    const value = { ...step, model: failed.model, error: toStructuredError(failed.error) };
    yield { type: StreamEventType.RETRY, value };
    await this.clock.sleep(step.delayMs, send.signal);
    send.key = toRetryKey(send.key, failed.error);
  }

  /** The model failed for good: another takes over at once, if there is one and nobody objects. */
  private async *fallBack(
    { model, phase, error }: FailedAttempt,
    send: Send,
    plan: RetryPlan,
  ): AsyncGenerator<StreamEvent, RetryStep | undefined> {
    const { fallback } = this.options;
    if (!fallback || !retryRule(phase, error).askFallback) return undefined;
    const decision = fallback.decide(model, error);
    if (decision.kind === 'give_up') return undefined;
    const next = decision.kind === 'switch' ? decision.model : yield* askForFallback(decision, model, send.signal);
    if (next === undefined) return undefined;
    send.key = { ...send.key, model: next };
    return plan.startOver();
  }

  private accept(attempt: Attempt, model: string, { prompt_id, role, afterFunctionResponse }: Send): void {
    const { thoughts, usageMetadata } = attempt;
    const content: Content = { role: 'model', parts: [] };
    try {
      content.parts = attempt.accept({ afterFunctionResponse }).parts;
    } catch (error) {
      this.options.onUnusableAnswer?.({ model, role, ...(usageMetadata && { usage: usageMetadata }) });
      throw error;
    }
    this.options.fallback?.succeeded?.(model);
    this.wasReached = true;
    this.history.append(content);
    this.promptTokenCount = usageMetadata?.promptTokenCount ?? this.promptTokenCount;
    const answer = { content, thoughts, model, ...(usageMetadata && { usageMetadata }) };
    this.options.recorder?.answered(answer, prompt_id);
  }

  /** The request as it leaves, after the hooks; undefined when one of them ended the send. */
  private async *prepare(send: Send): AsyncGenerator<StreamEvent, GenerateContentParameters | undefined> {
    const { hooks } = this.options;
    let request = this.buildRequest(send);
    const { signal } = send;
    const decision = hooks?.beforeModel && (await askHook(async () => hooks.beforeModel?.(request, signal), signal));
    if (decision?.kind === 'answer') {
      const attempt = new Attempt(this.callIds);
      const value = attempt.add(finished(decision.response));
      this.accept(attempt, request.model, send);
      yield { type: StreamEventType.CHUNK, value };
      return undefined;
    }
    if (decision && decision.kind !== 'proceed') {
      yield* endByHook(decision);
      return undefined;
    }
    // A request that went through a hook may have lost what JSON cannot carry.
    if (decision?.request) request = withSignal(decision.request, signal);
    const selection =
      hooks?.beforeToolSelection && (await askHook(async () => hooks.beforeToolSelection?.(request, signal), signal));
    if (selection) request = { ...request, config: { ...request.config, ...selection } };
    if (request.contents === this.history.contents) this.history.assertLegal();
    else assertLegalConversation(request.contents);
    return request;
  }

  /** What each piece of the answer is shown to first; undefined where no hook looks at it. */
  private afterModel(request: GenerateContentParameters, signal: AbortSignal): HookedStream['ask'] | undefined {
    const { hooks } = this.options;
    if (!hooks?.afterModel) return undefined;
    return async (response) => (await hooks.afterModel?.(request, response, signal)) ?? { kind: 'proceed' };
  }

  private buildRequest(send: Send): GenerateContentParameters {
    const { resolveModel, config: ownConfig = {} } = this.options;
    const { model, config } = resolveModel?.(send.key) ?? { model: send.key.model, config: ownConfig };
    const systemInstruction = this.instructionFor(send.key.lastStreamError);
    return {
      model,
      contents: this.history.contents,
      config: {
        ...config,
        ...(systemInstruction && { systemInstruction }),
        ...(this.tools && this.tools.length > 0 && { tools: this.tools }),
        abortSignal: send.signal,
      },
    };
  }

  private instructionFor(lastStreamError: InvalidStreamErrorType | undefined): string | undefined {
    const wordless = lastStreamError === 'THINKING_ONLY_RESPONSE' || lastStreamError === 'NO_RESPONSE_TEXT';
    if (!wordless) return this.systemInstruction;
    return [this.systemInstruction, ANSWER_NUDGE].filter(Boolean).join('\n\n');
  }
}

/** The frames of a burst that need not wait until the attempt is accepted. */
function showable(burst: readonly GenerateContentResponse[], attempt: Attempt): StreamEvent[] {
  const shown: StreamEvent[] = [];
  for (const arrived of burst) {
    const value = attempt.add(arrived);
    if (!attempt.hold(value)) shown.push({ type: StreamEventType.CHUNK, value });
  }
  return shown;
}

function withSignal(request: GenerateContentParameters, abortSignal: AbortSignal): GenerateContentParameters {
  return { ...request, config: { ...request.config, abortSignal } };
}

function toRetryKey(key: ModelConfigKey, error: unknown): ModelConfigKey {
  return { ...key, isRetry: true, ...(error instanceof InvalidStreamError && { lastStreamError: error.type }) };
}
