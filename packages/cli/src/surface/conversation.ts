/**
 * Conversation: runs the prompts of a session one after the other, on every surface: queues prompts submitted
 * meanwhile, steers the running prompt, runs commands beside it, and cancels in one way. The surface's port parses each
 * text and takes every event; the conversation owns no state besides the queue.
 */

import type { AgentEvent, AgentSession, Outcome } from '@castor/core';
import { isShellText, isSlashText, needsReading, toHarmlessText } from '../prompt/prompt-signs.ts';
import type { ConversationPorts, GivenPrompt, Occupation, PreparedAnswer, PreparedTurn } from './conversation-ports.ts';

type Work = GivenPrompt | PreparedTurn | Occupation;

const CANCELLED = { outcome: 'cancelled' } as const;

export class Conversation {
  private readonly ports: ConversationPorts;
  private controller: AbortController | undefined;
  private waiting: readonly GivenPrompt[] = [];
  /** Text for a prompt that has not begun. */
  private steering: string[] = [];
  /** The session between `prompt_started` and `prompt_ended`. */
  private open: AgentSession | undefined;
  private running: Promise<void> | undefined;
  private isLeaving = false;
  /** Text on its way that the user has not seen yet. */
  preparing: string | undefined;

  constructor(ports: ConversationPorts) {
    this.ports = ports;
    ports.signal?.addEventListener('abort', () => this.controller?.abort(ports.signal?.reason), { once: true });
  }

  get isBusy(): boolean {
    return this.controller !== undefined;
  }

  get queue(): readonly string[] {
    return this.waiting.map(({ text }) => text);
  }

  /** Starts at once, beside the running prompt where that is possible, or waits its turn. */
  submit(given: GivenPrompt): void {
    const { text, isShell = false } = given;
    const { runBeside, steers } = this.ports;
    if (this.isBusy && !isShell) {
      if (runBeside && isSlashText(text)) return void this.runBeside(text, runBeside);
      if (steers?.() && this.steerNow(text)) return;
    }
    this.enqueue(given);
  }

  /** Starts at once, or waits its turn. */
  enqueue(given: GivenPrompt): void {
    if (!this.isBusy) return this.run(given);
    this.waiting = [...this.waiting, given];
    this.ports.onChange?.();
  }

  /** Resumes what an earlier process left unanswered, as it was sent; before anything else is sent. */
  goOn(turn: PreparedTurn): void {
    this.run(turn);
  }

  /** Runs now; does nothing while the conversation is busy. Text submitted meanwhile waits for its end. */
  occupy(occupation: Occupation): void {
    if (!this.isBusy) this.run(occupation);
  }

  /** Steers the running prompt, or the next if it has not begun; becomes a prompt of its own when there is none. */
  steer(text: string): void {
    if (this.open) this.open.steer([{ text: toHarmlessText(text) }]);
    else if (this.isBusy || this.waiting.length > 0) this.steering.push(text);
    else this.enqueue({ text });
  }

  /** Steers the running prompt; false without one, or when the text must be parsed first. */
  steerNow(text: string): boolean {
    if (!this.open || needsReading(text)) return false;
    this.steer(text);
    this.ports.onSteered?.(text);
    return true;
  }

  /** Passes the queue to the running prompt, first to last, as long as it accepts. Returns whether it accepted any. */
  steerQueue(): boolean {
    const before = this.waiting.length;
    for (const { text, isShell } of this.waiting) {
      if (isShell || !this.steerNow(text)) break;
      this.waiting = this.waiting.slice(1);
    }
    if (this.waiting.length === before) return false;
    this.ports.onChange?.();
    return true;
  }

  /** Empties the queue into the editor. */
  takeQueue(): string | undefined {
    if (this.waiting.length === 0) return undefined;
    const text = this.queue.join('\n\n');
    this.waiting = [];
    this.ports.onChange?.();
    return text;
  }

  cancel(): boolean {
    if (!this.controller || this.controller.signal.aborted) return false;
    this.controller.abort();
    return true;
  }

  /** Stops the running prompt and shows nothing of it: the program ends. */
  leave(): void {
    this.isLeaving = true;
    this.cancel();
  }

  /** Resolves when the conversation is idle; rejects with the error that ended it. */
  async settled(): Promise<void> {
    await this.running;
  }

  private run(first: Work): void {
    this.running = this.runAll(first);
    // `settled` rejects with it; a conversation may break before `settled` is called.
    this.running.catch(() => undefined);
  }

  private async runAll(first: Work): Promise<void> {
    let next: Work | undefined = first;
    let outcome: Outcome | undefined;
    while (next !== undefined) {
      const controller = new AbortController();
      const { signal } = controller;
      if (this.ports.signal?.aborted) controller.abort(this.ports.signal.reason);
      this.controller = controller;
      this.ports.onChange?.();
      try {
        if (typeof next === 'function') await next(signal);
        else outcome = await this.runOne(next, signal);
      } catch (error) {
        outcome = 'failed';
        this.ports.onError(error, signal);
      } finally {
        this.controller = undefined;
        this.open = undefined;
      }
      next = this.next(outcome, signal);
    }
    this.ports.onIdle?.(outcome);
    this.ports.onChange?.();
  }

  private next(outcome: Outcome | undefined, { aborted }: AbortSignal): Work | undefined {
    const { joinsQueue = false, signal, takeFeedback } = this.ports;
    const feedback = takeFeedback?.();
    this.waiting = [...this.steering.splice(0).map((text) => ({ text })), ...this.waiting];
    if (signal?.aborted || this.isLeaving) return undefined;
    if (outcome === 'cancelled' && !aborted && feedback !== undefined) return { text: feedback };
    const [first, ...rest] = this.waiting;
    if (!first) return undefined;
    let count = 1;
    // Adjacent texts become one prompt; a command is never part of one.
    while (joinsQueue && isWords(first) && rest[count - 1] && isWords(rest[count - 1]!)) count++;
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return count === 1 ? first : { text: taken.map(({ text }) => text).join('\n\n') };
  }

  /** How the prompt ended; undefined when nothing was sent. */
  private async runOne(given: GivenPrompt | PreparedTurn, signal: AbortSignal): Promise<Outcome | undefined> {
    const turn = 'parts' in given ? given : await this.read(given, signal);
    if (!turn) return signal.aborted ? 'cancelled' : undefined;
    if ('answer' in turn) return this.answer(turn);
    let outcome = await this.send(turn, signal);
    // A call that was proposed is not proposed again.
    while (!turn.proposal && outcome === 'loop_detected' && (await this.ports.onLoop?.(signal)))
      outcome = await this.send(turn, signal);
    return outcome;
  }

  /** A prompt cancelled before it was sent is shown like any other. */
  private async read(given: GivenPrompt, signal: AbortSignal): Promise<PreparedTurn | PreparedAnswer | undefined> {
    const { text } = given;
    const isPlain = isWords(given);
    const cancelled = Promise.withResolvers<undefined>();
    let isWaitedFor = false;
    const onAbort = () => {
      isWaitedFor = !this.isLeaving && (isShell(given) || (this.ports.endsItself?.() ?? false));
      if (!isWaitedFor) cancelled.resolve(undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.preparing = isPlain ? text : undefined;
    try {
      const turn = await Promise.race([cancelled.promise, this.ports.read(given, signal)]);
      if (!signal.aborted) return turn;
      if (isWaitedFor && turn && 'answer' in turn) return turn;
    } catch (error) {
      this.ports.onUnsent?.(text);
      throw error;
    } finally {
      this.preparing = undefined;
    }
    if (!this.isLeaving && !isWaitedFor)
      await this.answer({ answer: '', ending: CANCELLED }, isPlain ? text : undefined);
    return undefined;
  }

  private async answer({ answer, ending }: PreparedAnswer, text?: string): Promise<Outcome | undefined> {
    const { agent } = await this.ports.live();
    const events = agent.session.answer(answer, ending, text === undefined ? {} : { text });
    return this.showAll(events, false, agent.session);
  }

  private async send({ parts, isShown = false, ...options }: PreparedTurn, signal: AbortSignal) {
    const live = await this.ports.live();
    return this.showAll(live.prompt(parts, signal, options), isShown, live.agent.session);
  }

  private async showAll(
    events: AsyncIterable<AgentEvent>,
    isShown: boolean,
    session: AgentSession,
  ): Promise<Outcome | undefined> {
    let outcome: Outcome | undefined;
    for await (const event of events) {
      // A child's prompt begins and ends inside this one.
      const isOwn = event.parentCallId === undefined;
      if (isOwn && event.type === 'prompt_started') this.begun(session);
      else if (isOwn && event.type === 'prompt_ended') {
        this.open = undefined;
        outcome = event.outcome;
      }
      const shown = this.ports.show(isShown && isOwn ? withoutText(event) : event);
      if (shown) await shown;
    }
    return outcome;
  }

  /** An answer without a model reads no steering text: it becomes a prompt of its own. */
  private begun(session: AgentSession): void {
    if (!session.isBusy) return;
    this.open = session;
    for (const text of this.steering.splice(0)) this.steer(text);
  }

  private async runBeside(text: string, run: NonNullable<ConversationPorts['runBeside']>): Promise<void> {
    try {
      const answer = await run(text);
      // A queued command would become part of a prompt.
      if (answer === 'words' || (answer === 'waits' && !this.isBusy)) this.enqueue({ text });
      else if (answer === 'waits') this.ports.onWaits?.(text);
    } catch (error) {
      this.ports.onError(error, new AbortController().signal);
    }
  }
}

function isShell({ text, isShell: isMode = false }: GivenPrompt): boolean {
  return isMode || isShellText(text);
}

function isWords(given: GivenPrompt): boolean {
  return !isShell(given) && !isSlashText(given.text);
}

/** The start of a prompt whose text is already shown. */
function withoutText(event: AgentEvent): AgentEvent {
  return event.type === 'prompt_started' ? { type: event.type, prompt_id: event.prompt_id } : event;
}
