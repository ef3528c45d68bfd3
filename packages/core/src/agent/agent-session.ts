/**
 * AgentSession: the one loop. It alternates model and tools until the model has
 * nothing left to ask for, and yields everything that happens as AgentEvents. Every
 * surface, and every sub-agent, runs through `prompt`.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { toParts } from '../chat/parts.ts';
import type { GeminiClient } from '../client/gemini-client.ts';
import type { AgentEvent, FallbackIntent, SessionEvent } from '../protocol/agent-events.ts';
import { FinishReason } from '../protocol/content.ts';
import type { Part, PartListUnion } from '../protocol/content.ts';
import { toStructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { Budget, Watch } from '../spending/budget.ts';
import { EventInbox } from './event-inbox.ts';
import { ABANDONED, COMPLETED, EMPTY, toEnding, toStop } from './prompt-ending.ts';
import type { Ending } from './prompt-ending.ts';
import type { SchedulerPort } from './scheduler-port.ts';

export interface AgentSessionOptions {
  sessionId: string;
  client: Pick<GeminiClient, 'sendMessageStream'>;
  chat: Pick<GeminiChat, 'addHistory'>;
  scheduler: SchedulerPort;
  /** Ends a prompt, between two requests, when it is spent. */
  budget?: Pick<Budget, 'exceeded' | 'warning' | 'watch'>;
  /** Takes the answer to a `fallback_requested`. */
  answerFallback?: (requestId: string, intent: FallbackIntent) => void;
  /** Told of every event before a surface is. Must not throw. */
  record?: (event: AgentEvent) => void;
  /** Where the rooms around the loop post; by default one of its own. */
  inbox?: EventInbox;
  /** One id for all prompts, as a program run once has; by default each prompt has its own. */
  prompt_id?: string;
}

export interface PromptOptions {
  /** What the user is shown of the request, where it differs from what is sent. */
  text?: string;
}

export class AgentSession {
  readonly sessionId: string;
  private readonly options: AgentSessionOptions;
  private promptCount = 0;
  private isOpen = false;
  private steering: Part[] = [];
  private readonly inbox: EventInbox;
  /** Whether a tool of the last round found the disk full. */
  private isDiskFull = false;

  constructor(options: AgentSessionOptions) {
    this.options = options;
    this.sessionId = options.sessionId;
    this.inbox = options.inbox ?? new EventInbox();
  }

  /**
   * Runs one request until the agent is idle again. `prompt_started` comes first and
   * exactly one `prompt_ended` last, also on abort and on a bug; after a bug, or
   * without valid credentials, the exception follows.
   */
  async *prompt(
    input: PartListUnion,
    outerSignal: AbortSignal,
    options: PromptOptions = {},
  ): AsyncGenerator<AgentEvent, void> {
    this.open();
    const { client, scheduler } = this.options;
    const prompt_id = this.nextPromptId();
    const leave = new AbortController();
    const watch = this.watch(AbortSignal.any([outerSignal, leave.signal]));
    const { signal } = watch;
    // Until it is known better: only a consumer that leaves ends a prompt before it is.
    let ending = ABANDONED;
    try {
      yield this.note({ type: 'prompt_started', prompt_id, ...pickText(options) });
      let ended = this.overBudget() ?? EMPTY;
      const judge = (event: AgentEvent) => (ended = toEnding(event) ?? ended);
      for (let request = this.begin(ended, input); request.length > 0;) {
        ended = COMPLETED;
        const turn = yield* this.relay(client.sendMessageStream(request, signal, prompt_id), leave, judge);
        if (ended.outcome !== 'completed') break;
        const calls = turn.pendingToolCalls;
        const completed = calls.length > 0 ? yield* this.relay(scheduler.run(calls, signal), leave) : [];
        const next = this.next(completed, signal);
        if (Array.isArray(next)) request = next;
        else {
          ended = next;
          break;
        }
      }
      ending = this.judge(ended, watch, outerSignal);
    } catch (error) {
      ending = { outcome: 'failed', error: toStructuredError(error) };
      throw error;
    } finally {
      // What a consumer that left was not given stays for `events`.
      const left = () => (ending === ABANDONED ? undefined : this.takePosted());
      try {
        for (let event = left(); event; event = left()) yield event;
      } finally {
        watch.release();
        this.isOpen = false;
        this.inbox.wake();
        yield this.note({ type: 'prompt_ended', prompt_id, ...ending });
      }
    }
  }

  /**
   * Yields a prompt that the surface answered without a model, for the consumers that wait for its end. Neither recorded
   * nor counted: the model never reads it, and the session is not busy with it. Without text there is no answer.
   */
  async *answer(
    text: string,
    ending: Ending = COMPLETED,
    options: PromptOptions = {},
  ): AsyncGenerator<AgentEvent, void> {
    const prompt_id = this.nextPromptId();
    yield { type: 'prompt_started', prompt_id, ...pickText(options) };
    if (text !== '') {
      yield { type: GeminiEventType.Content, value: text };
      yield { type: GeminiEventType.Finished, value: { reason: FinishReason.STOP, usageMetadata: undefined } };
    }
    yield { type: 'prompt_ended', prompt_id, ...ending };
  }

  /**
   * Yields what happens between prompts, from whatever was posted before the first step on; while a prompt is open, its
   * own stream yields it instead. Of several consumers one is given each event. Ends once the session is closed and all of
   * it was yielded.
   */
  async *events(): AsyncGenerator<SessionEvent, void> {
    for (;;) {
      const event = this.isOpen ? undefined : this.takePosted();
      if (event) yield event;
      else if (this.inbox.isClosed) return;
      else await this.inbox.change();
    }
  }

  /** Tells the consumer what happened beside the loop: yielded at the consumer's next step, before anything later. */
  post(event: SessionEvent): void {
    this.inbox.post(event);
  }

  /** Ends `events`. */
  close(): void {
    this.inbox.close();
  }

  /** Whether a prompt is under way. */
  get isBusy(): boolean {
    return this.isOpen;
  }

  /** Answers a call that awaits approval. Throws when no such call waits. */
  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void {
    this.options.scheduler.respond(callId, outcome, payload);
  }

  /** Answers a `fallback_requested`. Throws when there is no such question. */
  answerFallback(requestId: string, intent: FallbackIntent): void {
    const { answerFallback } = this.options;
    if (!answerFallback) throw new Error('This session has no fallback questions.');
    answerFallback(requestId, intent);
  }

  /**
   * Adds words to the prompt under way: the model reads them with the next tool results, or
   * instead of ending. If the prompt fails or is cancelled first, it reads them with the next.
   */
  steer(input: PartListUnion): void {
    if (!this.isOpen) throw new Error('No prompt is running. Use prompt() to start one.');
    this.steering.push(...toParts(input));
  }

  private watch(signal: AbortSignal): Watch {
    return this.options.budget?.watch(signal) ?? { signal, hasExpired: false, release: () => undefined };
  }

  private open(): void {
    if (this.isOpen) throw new Error('This session is busy with another prompt. Use steer() to add to it.');
    this.isOpen = true;
  }

  private nextPromptId(): string {
    const count = this.promptCount++;
    return this.options.prompt_id ?? `${this.sessionId}########${count}`;
  }

  /** What a prompt before this one could not say any more, and the request; nothing when it is over already. */
  private begin(ended: Ending, input: PartListUnion): Part[] {
    this.isDiskFull = false;
    const request = ended === EMPTY ? toParts(input) : [];
    return request.length > 0 ? this.withWarning([...this.takeSteering(), ...request]) : [];
  }

  /** Between two turns: how the prompt ends, or what the model reads next. */
  private next(completed: readonly CompletedToolCall[], signal: AbortSignal): Ending | Part[] {
    const responses = completed.flatMap(({ response }) => response.responseParts);
    const stop = signal.aborted ? { outcome: 'cancelled' as const } : (toStop(completed) ?? this.checkDisk(completed));
    const goesOn = responses.length > 0 || this.steering.length > 0;
    const end = stop ?? (goesOn ? this.overBudget() : undefined);
    if (!end) return this.withWarning([...responses, ...this.takeSteering()]);
    // What the calls did is known; the model must read it whenever the session goes on.
    if (responses.length > 0) this.options.chat.addHistory({ role: 'user', parts: responses });
    return end;
  }

  /** The model is told of a full disk, and may make room or do without; a second time in a row nothing helps. */
  private checkDisk(completed: readonly CompletedToolCall[]): Ending | undefined {
    const failed = completed.find(({ response }) => response.errorType === 'no_space_left');
    const isFatal = failed !== undefined && this.isDiskFull;
    this.isDiskFull = failed !== undefined;
    return isFatal ? { outcome: 'failed', error: toStructuredError(failed.response.error) } : undefined;
  }

  /** A prompt the budget cut short, or kept from sending, was ended by the budget. */
  private judge(ended: Ending, watch: Watch, outerSignal: AbortSignal): Ending {
    const isCutShort = ended.outcome === 'cancelled' && watch.hasExpired && !outerSignal.aborted;
    const isRefused = ended.error?.reason === 'budget_exceeded';
    return (isCutShort || isRefused ? this.overBudget() : undefined) ?? ended;
  }

  private overBudget(): Ending | undefined {
    const exceeded = this.options.budget?.exceeded();
    return exceeded && { outcome: 'budget_exceeded', ...exceeded };
  }

  /** The request, and what the model should know about what is left; nothing is added to no request. */
  private withWarning(request: Part[]): Part[] {
    const warning = request.length > 0 ? this.options.budget?.warning() : undefined;
    return warning === undefined ? request : [...request, { text: warning }];
  }

  /**
   * Yields what `source` yields, recorded, and what is posted meanwhile without waiting for the source's next step. A
   * consumer that leaves aborts the source first: it may be waiting for a model or a command.
   */
  private async *relay<T>(
    source: AsyncGenerator<AgentEvent, T>,
    leave: AbortController,
    see?: (event: AgentEvent) => void,
  ): AsyncGenerator<AgentEvent, T> {
    let step: Promise<IteratorResult<AgentEvent, T>> | undefined;
    let hasEnded = false;
    try {
      for (;;) {
        for (let event = this.takePosted(); event; event = this.takePosted()) yield event;
        step ??= source.next();
        const result = await this.inbox.unlessPosted(step);
        if (!result) continue;
        hasEnded = result.done === true;
        if (result.done) return result.value;
        step = undefined;
        see?.(result.value);
        yield this.note(result.value);
      }
    } catch (error) {
      hasEnded = true;
      throw error;
    } finally {
      if (!hasEnded) {
        leave.abort();
        await source.return(undefined as never);
      }
    }
  }

  private takePosted(): SessionEvent | undefined {
    const event = this.inbox.take();
    return event && this.note(event);
  }

  private takeSteering(): Part[] {
    const taken = this.steering;
    this.steering = [];
    return taken;
  }

  private note<E extends AgentEvent>(event: E): E {
    this.options.record?.(event);
    return event;
  }
}

function pickText({ text }: PromptOptions): { text?: string } {
  return text === undefined ? {} : { text };
}
