/**
 * AgentSession: the one loop. It alternates model and tools until the model requests no
 * more calls, and yields every step as AgentEvents. Every surface and every sub-agent runs
 * through `prompt`.
 */

import type { AgentEvent, FallbackIntent, SessionEvent } from '../protocol/agent-events.ts';
import type { Part, PartListUnion } from '../protocol/content.ts';
import { toStructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { CompletedToolCall } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { Watch } from '../spending/budget.ts';
import { abortWith } from '../util/abort.ts';
import { toParts } from '../util/part-list.ts';
import { isProgramStopped, PROGRAM_STOPPED } from '../util/program-stop.ts';
import type { AgentSessionOptions } from './agent-session-options.ts';
import { EventInbox } from './event-inbox.ts';
import { ABANDONED, COMPLETED, EMPTY, toEnding, toStop } from './prompt-ending.ts';
import type { Ending } from './prompt-ending.ts';
import { toProposed } from './prompt-options.ts';
import type { PromptOptions } from './prompt-options.ts';
import { SessionQuestions } from './session-questions.ts';

export type { AgentSessionOptions } from './agent-session-options.ts';

export class AgentSession {
  readonly sessionId: string;
  private readonly options: AgentSessionOptions;
  private promptCount: number;
  private isOpen = false;
  private steering: Part[] = [];
  private readonly inbox: EventInbox;
  private readonly questions: SessionQuestions;
  /** Whether a tool of the last round found the disk full. */
  private isDiskFull = false;

  constructor(options: AgentSessionOptions) {
    this.options = options;
    this.sessionId = options.sessionId;
    this.promptCount = options.promptCount ?? 0;
    this.inbox = options.inbox ?? new EventInbox();
    this.questions = new SessionQuestions(options);
  }

  /**
   * Runs one request until the agent is idle again. `prompt_started` comes first and
   * exactly one `prompt_ended` last, also on abort and on a bug; after a bug, or
   * without valid credentials, the exception follows. A closed or busy session throws before the first event.
   */
  async *prompt(
    given: PartListUnion,
    outerSignal: AbortSignal,
    options: PromptOptions = {},
  ): AsyncGenerator<AgentEvent, void> {
    this.open();
    const input = this.conceal(given);
    const { client, scheduler, prepare } = this.options;
    const prompt_id = this.nextPromptId();
    const leave = new AbortController();
    const unfollow = abortWith(leave, [outerSignal]);
    const watch = this.watch(leave.signal);
    const { signal } = watch;
    // The default: only a consumer that leaves ends a prompt before another ending is known.
    let ending = ABANDONED;
    try {
      yield this.note({ type: 'prompt_started', prompt_id, ...this.pickText(options) }, input);
      let ended = this.overBudget() ?? EMPTY;
      if (prepare && ended === EMPTY) yield* this.relay(prepare(signal), leave);
      const judge = (event: AgentEvent) => (ended = toEnding(event) ?? ended);
      const proposed = ended === EMPTY ? toProposed(options, prompt_id) : [];
      for (const value of proposed) yield this.note({ type: GeminiEventType.ToolCallRequest, value });
      for (let request = this.begin(ended, input), calls = proposed; request.length + calls.length > 0;) {
        ended = COMPLETED;
        if (calls.length === 0) {
          const turn = yield* this.relay(client.sendMessageStream(request, signal, prompt_id), leave, judge);
          if (ended.outcome !== 'completed') break;
          calls = turn.pendingToolCalls;
        }
        const completed = calls.length > 0 ? yield* this.relay(scheduler.run(calls, signal), leave) : [];
        calls = [];
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
      // Events that a leaving consumer did not receive stay for `events`.
      const left = () => (ending === ABANDONED ? undefined : this.takePosted());
      try {
        for (let event = left(); event; event = left()) yield event;
      } finally {
        watch.release();
        unfollow();
        this.isOpen = false;
        this.inbox.wake();
        yield this.note({ type: 'prompt_ended', prompt_id, ...ending });
      }
    }
  }

  /**
   * Yields a prompt that the surface answered without a model, for consumers that wait for its end. Neither recorded nor
   * counted: the model never receives it, and the session stays idle. Without text the prompt has no answer.
   */
  async *answer(text: string, ending = COMPLETED, options: PromptOptions = {}): AsyncGenerator<AgentEvent, void> {
    const prompt_id = this.nextPromptId();
    // Few prompts are answered without a model.
    const { answerEvents } = await import('./answer-events.ts');
    yield* answerEvents(prompt_id, text, ending, this.pickText(options));
  }

  /**
   * Yields the events between prompts, starting with those posted before the first step; while a prompt is open, its
   * stream yields them instead. With several consumers, each event goes to one of them. Ends once the session is closed
   * and all events are yielded.
   */
  async *events(): AsyncGenerator<SessionEvent, void> {
    for (;;) {
      const event = this.isOpen ? undefined : this.takePosted();
      if (event) yield event;
      else if (this.inbox.isClosed) return;
      else await this.inbox.change();
    }
  }

  /** Posts an event from beside the loop: yielded at the consumer's next step, before any later event. */
  post(event: SessionEvent): void {
    this.inbox.post(event);
  }

  /** Ends `events`; a later prompt is rejected. */
  close(): void {
    this.inbox.close();
  }

  /** Whether a prompt is running. */
  get isBusy(): boolean {
    return this.isOpen;
  }

  /** Whether this session, or a child that one of its calls runs, waits for the answer to this question. */
  asks(id: string, address: EventAddress = {}): boolean {
    return this.questions.asks(id, address);
  }

  /**
   * Answers a call that awaits approval, also one of a child: `address` is the event that asked, and needed only where
   * two sessions use the same call id. Throws when no such call is waiting.
   */
  respond(
    callId: string,
    outcome: ToolConfirmationOutcome,
    payload?: ConfirmationPayload,
    address: EventAddress = {},
  ): void {
    this.questions.respond(callId, outcome, payload, address);
  }

  /** Answers a `fallback_requested`, also one of a child, as `respond` does. Throws for an unknown request id. */
  answerFallback(requestId: string, intent: FallbackIntent, address: EventAddress = {}): void {
    this.questions.answerFallback(requestId, intent, address);
  }

  /**
   * Adds text to the running prompt: the model receives it with the next tool results, or
   * instead of ending. If the prompt fails or is cancelled first, the next prompt sends it. A running child receives it too.
   */
  steer(input: PartListUnion): void {
    if (!this.isOpen) throw new Error('No prompt is running. Use prompt() to start one.');
    const clean = this.conceal(input);
    this.steering.push(...toParts(clean));
    this.options.scheduler.steerChildren(clean);
  }

  private conceal(input: PartListUnion): PartListUnion {
    return this.options.concealInput?.(input) ?? input;
  }

  private pickText({ text }: PromptOptions): { text?: string } {
    if (text === undefined) return {};
    const [shown] = toParts(this.conceal(text));
    return { text: shown?.text ?? text };
  }

  private watch(signal: AbortSignal): Watch {
    return this.options.budget?.watch(signal) ?? { signal, hasExpired: false, release: () => undefined };
  }

  private open(): void {
    if (this.inbox.isClosed) throw new Error('This session is closed. Create another agent to send a prompt.');
    if (this.isOpen) throw new Error('This session is busy with another prompt. Use steer() to add to it.');
    this.isOpen = true;
  }

  private nextPromptId(): string {
    const count = this.promptCount++;
    return this.options.prompt_id ?? `${this.sessionId}########${count}`;
  }

  /** The request, after steering text left over from an earlier prompt; empty when the prompt has already ended. */
  private begin(ended: Ending, input: PartListUnion): Part[] {
    this.isDiskFull = false;
    const request = ended === EMPTY ? toParts(input) : [];
    return request.length > 0 ? this.withWarning([...this.takeSteering(), ...request]) : [];
  }

  /** Between two turns: returns the prompt's ending, or the next request to the model. */
  private next(completed: readonly CompletedToolCall[], signal: AbortSignal): Ending | Part[] {
    const responses = completed.flatMap(({ response }) => response.responseParts);
    const stop = signal.aborted
      ? { outcome: 'cancelled' as const }
      : ((this.options.endAfter ?? toStop)(completed) ?? this.checkDisk(completed));
    const goesOn = responses.length > 0 || this.steering.length > 0;
    const end = stop ?? (goesOn ? this.overBudget() : undefined);
    if (!end) return this.withWarning([...responses, ...this.takeSteering()]);
    // The results are known: the model must receive them when the session continues.
    if (responses.length > 0) this.options.chat.addHistory({ role: 'user', parts: responses });
    return end;
  }

  /** The first full disk is reported to the model, which may free space or do without; a second one in a row is fatal. */
  private checkDisk(completed: readonly CompletedToolCall[]): Ending | undefined {
    const failed = completed.find(({ response }) => response.errorType === 'no_space_left');
    const isFatal = failed !== undefined && this.isDiskFull;
    this.isDiskFull = failed !== undefined;
    return isFatal ? { outcome: 'failed', error: toStructuredError(failed.response.error) } : undefined;
  }

  /** Attributes the ending to the budget when the budget aborted the prompt or blocked its request. */
  private judge(ended: Ending, watch: Watch, outerSignal: AbortSignal): Ending {
    const isCutShort = ended.outcome === 'cancelled' && watch.hasExpired && !outerSignal.aborted;
    const isRefused = ended.error?.reason === 'budget_exceeded';
    if (ended.outcome === 'cancelled' && isProgramStopped(outerSignal)) return { ...ended, detail: PROGRAM_STOPPED };
    return (isCutShort || isRefused ? this.overBudget() : undefined) ?? ended;
  }

  private overBudget(): Ending | undefined {
    const exceeded = this.options.budget?.exceeded();
    return exceeded && { outcome: 'budget_exceeded', ...exceeded };
  }

  /** The request with a warning about the remaining budget; an empty request stays empty. */
  private withWarning(request: Part[]): Part[] {
    const warning = request.length > 0 ? this.options.budget?.warning() : undefined;
    return warning === undefined ? request : [...request, { text: warning }];
  }

  /**
   * Yields and records the events of `source`, and posted events without waiting for the source's next step. A consumer
   * that leaves aborts the source first: it may be waiting for a model or a command.
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
        const { value: event } = result;
        see?.(event);
        // The end of the prompt tells it, with the amounts.
        if (event.type === GeminiEventType.Error && event.value.error.reason === 'budget_exceeded') continue;
        yield this.note(event);
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

  private note<E extends AgentEvent>(event: E, input?: PartListUnion): E {
    this.options.record?.(event, input);
    return event;
  }
}
