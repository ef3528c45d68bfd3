/**
 * The person's side of a session: prompts one after the other, those typed meanwhile in
 * a queue, one way to cancel. It feeds events to the store and owns no state of its own
 * beside the queue; what a prompt means is prepared by the code that opened the agent.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import { UnauthorizedError, getErrorMessage } from '@castor/core';
import type { AgentEvent, Outcome, Part, TranscriptStore, WorkspaceAgent } from '@castor/core';
import { StreamProcessingStatus, toStreamProcessingStatus } from './stream-processing-status.ts';

export interface PreparedTurn {
  readonly parts: readonly Part[];
  /** What the person is shown of it. */
  readonly text: string;
  /** Whether they have been shown it already, as the command it came from. */
  readonly isShown?: boolean;
}

/** Something of the person's own that no prompt may come in between of. */
export type Occupation = (signal: AbortSignal) => Promise<void>;

/** What a text stands for; undefined when it was dealt with and nothing is sent. */
export type PrepareTurn = (text: string, signal: AbortSignal) => Promise<PreparedTurn | undefined>;

export interface ConversationOptions {
  readonly store: () => TranscriptStore;
  /** The agent, opened when it is first needed. */
  readonly agent: () => Promise<WorkspaceAgent>;
  readonly prepare: PrepareTurn;
  readonly onChange: () => void;
  readonly onUnauthorized: (message: string) => void;
  readonly onFailure: (message: string) => void;
  /** Words that could not be sent; they must not be lost. */
  readonly onUnsent: (text: string) => void;
  /** Nothing is under way any more; how the last of it ended. */
  readonly onIdle?: (status: StreamProcessingStatus) => void;
  /** Whether preparing this text prints it: commands are no prompts. */
  readonly showsItself?: (text: string) => boolean;
  /** Whether what this text began ends by itself when it is cancelled, and says so where that is worth a word. */
  readonly endsItself?: (text: string) => boolean;
  /** What the person said when they declined a call that the prompt then ended with. */
  readonly takeFeedback?: () => string | undefined;
  /** Takes what need not wait for the prompt under way; false when it has to. */
  readonly beside?: (text: string) => boolean;
  /** The model was stopped because it repeated itself; true to send the prompt again. */
  readonly onLoop?: (signal: AbortSignal) => Promise<boolean>;
}

/** How long events may be taken in without a look at the keyboard. */
const SLICE_MS = 12;

export class Conversation {
  private readonly options: ConversationOptions;
  private controller: AbortController | undefined;
  private waiting: readonly string[] = [];
  private isLeaving = false;
  /** Pending text that is not shown yet. */
  preparing: string | undefined;

  constructor(options: ConversationOptions) {
    this.options = options;
  }

  get isBusy(): boolean {
    return this.controller !== undefined;
  }

  get queue(): readonly string[] {
    return this.waiting;
  }

  /** Begins at once, beside the prompt under way where that is possible, or waits its turn. */
  submit(text: string): void {
    if (!this.isBusy || !this.options.beside?.(text)) this.enqueue(text);
  }

  /** Begins at once, or waits its turn. */
  enqueue(text: string): void {
    if (!this.isBusy) {
      void this.run(text);
      return;
    }
    this.waiting = [...this.waiting, text];
    this.options.onChange();
  }

  /** What an earlier program left unanswered, as it was sent; before anything else is. */
  goOn(turn: PreparedTurn): void {
    void this.run(turn);
  }

  /** Done now, unless something is under way: what is typed meanwhile waits for the end of it. */
  occupy(occupation: Occupation): void {
    if (!this.isBusy) void this.run(occupation);
  }

  /** Hands over what waits, first to last, as long as it is taken. Answers whether something was. */
  offerQueue(take: (text: string) => boolean): boolean {
    const before = this.waiting.length;
    while (this.waiting[0] !== undefined && take(this.waiting[0])) this.waiting = this.waiting.slice(1);
    if (this.waiting.length === before) return false;
    this.options.onChange();
    return true;
  }

  /** All that waits, for the editor. */
  takeQueue(): string | undefined {
    if (this.waiting.length === 0) return undefined;
    const text = this.waiting.join('\n\n');
    this.waiting = [];
    this.options.onChange();
    return text;
  }

  cancel(): boolean {
    if (!this.controller || this.controller.signal.aborted) return false;
    this.controller.abort();
    return true;
  }

  /** Stops what is under way and says nothing of it: the program ends. */
  leave(): void {
    this.isLeaving = true;
    this.cancel();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  private running: Promise<void> | undefined;

  private run(first: string | PreparedTurn | Occupation): Promise<void> {
    this.running = this.runAll(first);
    return this.running;
  }

  private async runAll(first: string | PreparedTurn | Occupation): Promise<void> {
    let next: string | PreparedTurn | Occupation | undefined = first;
    let status = StreamProcessingStatus.Completed;
    while (next !== undefined) {
      const controller = new AbortController();
      this.controller = controller;
      this.options.onChange();
      try {
        if (typeof next === 'function') await next(controller.signal);
        else status = toStreamProcessingStatus(await this.runOne(next, controller.signal));
      } catch (error) {
        status = StreamProcessingStatus.Error;
        this.explain(error, controller.signal);
      } finally {
        this.controller = undefined;
      }
      const feedback = this.options.takeFeedback?.();
      // What was cancelled is not followed by what was typed behind it: that goes back to the editor.
      if (controller.signal.aborted) next = undefined;
      else next = (status === StreamProcessingStatus.UserCancelled ? feedback : undefined) ?? this.takeQueue();
    }
    this.options.onIdle?.(status);
    this.options.onChange();
  }

  /** Undefined when nothing was sent. */
  private async runOne(given: string | PreparedTurn, signal: AbortSignal): Promise<Outcome | undefined> {
    const turn = typeof given === 'string' ? await this.prepare(given, signal) : given;
    if (!turn) return signal.aborted ? 'cancelled' : undefined;
    let outcome = await this.send(turn, signal);
    while (outcome === 'loop_detected' && (await this.options.onLoop?.(signal)))
      outcome = await this.send(turn, signal);
    return outcome;
  }

  /** A request that is cancelled before it was sent is shown like any other. */
  private async prepare(text: string, signal: AbortSignal): Promise<PreparedTurn | undefined> {
    const cancelled = Promise.withResolvers<undefined>();
    let isWaitedFor = false;
    const onAbort = () => {
      isWaitedFor = !this.isLeaving && (this.options.endsItself?.(text) ?? false);
      if (!isWaitedFor) cancelled.resolve(undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.preparing = this.options.showsItself?.(text) ? undefined : text;
    const turn = await Promise.race([this.options.prepare(text, signal), cancelled.promise])
      .catch((error: unknown) => {
        this.options.onUnsent(text);
        throw error;
      })
      .finally(() => {
        this.preparing = undefined;
      });
    if (!signal.aborted) return turn;
    if (this.isLeaving || isWaitedFor) return undefined;
    this.options.store().dispatchAll([
      { type: 'prompt_started', prompt_id: '', ...(!this.options.showsItself?.(text) && { text }) },
      { type: 'prompt_ended', prompt_id: '', outcome: 'cancelled' },
    ]);
    return undefined;
  }

  private async send(
    { parts, text, isShown = false }: PreparedTurn,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const { session } = await this.options.agent();
    let outcome: Outcome | undefined;
    let sliceEnd = performance.now() + SLICE_MS;
    for await (const event of session.prompt([...parts], signal, { text })) {
      this.options.store().dispatch(isShown ? withoutText(event) : event);
      if (event.type === 'prompt_ended') outcome = event.outcome;
      if (performance.now() < sliceEnd) continue;
      // Whatever arrives in one piece must not keep keys and frames waiting.
      await afterInput();
      sliceEnd = performance.now() + SLICE_MS;
    }
    return outcome;
  }

  private explain(error: unknown, signal: AbortSignal): void {
    if (error instanceof UnauthorizedError) this.options.onUnauthorized(error.message);
    else if (!signal.aborted) this.options.onFailure(getErrorMessage(error));
  }
}

/** The beginning of a prompt whose words stand there already. */
function withoutText(event: AgentEvent): AgentEvent {
  return event.type === 'prompt_started' ? { type: event.type, prompt_id: event.prompt_id } : event;
}
