/**
 * A conversation with a program: messages from stdin become prompts, answers and
 * interruptions, in their order. Prompts wait for each other; everything else acts at
 * once. Once stdin has ended, questions are
 * refused.
 */

import { getErrorMessage } from '@castor/core';
import type { AgentEvent, AgentSession, ApprovalMode } from '@castor/core';
import { InputMessageError, readMessage } from './input-message.ts';
import type { InputMessage } from './input-message.ts';
import type { InputLine } from './input-lines.ts';

export interface ConversationOptions {
  session: Pick<AgentSession, 'respond' | 'answerFallback' | 'steer' | 'isBusy'>;
  lines: AsyncIterable<InputLine>;
  /** Runs one prompt to its end; the signal ends the prompt and nothing else. */
  runPrompt(text: string, signal: AbortSignal, onEvent: (event: AgentEvent) => void): Promise<void>;
  /** Throws with a sentence when the mode may not be set. */
  setApprovalMode(mode: ApprovalMode): void;
  onProblem(message: string): void;
  /** Ends the conversation. */
  signal: AbortSignal;
}

const INPUT_ENDED = 'The input has ended, so this call cannot be approved.';

export class Conversation {
  private readonly options: ConversationOptions;
  private readonly queue: string[];
  private readonly questions = new Map<string, 'approval' | 'fallback'>();
  private prompt: AbortController | undefined;
  /** Between `prompt_started` and `prompt_ended`. */
  private isSessionOpen = false;
  private steering: string[] = [];
  private hasInputEnded = false;
  private hasArrived = Promise.withResolvers<void>();
  /** Whether the calling program stopped the last prompt: interrupted it, or declined its call. */
  wasStopped = false;

  constructor(options: ConversationOptions, firstPrompt: string) {
    this.options = options;
    this.queue = firstPrompt === '' ? [] : [firstPrompt];
  }

  /** Resolves when the input has ended and everything in it was answered. */
  async run(): Promise<void> {
    const { signal } = this.options;
    signal.addEventListener('abort', () => this.arrived(), { once: true });
    void this.read();
    while (!signal.aborted) {
      const text = this.queue.shift();
      if (text !== undefined) await this.runPrompt(text);
      else if (this.hasInputEnded) return;
      else await this.hasArrived.promise;
    }
  }

  private async read(): Promise<void> {
    try {
      for await (const line of this.options.lines) {
        if (!this.take(line)) break;
      }
    } catch (error) {
      this.options.onProblem(`Reading the input failed: ${getErrorMessage(error)}`);
    }
    this.hasInputEnded = true;
    for (const [id, kind] of this.questions) this.refuse(id, kind);
    this.arrived();
  }

  /** False when nothing more is to be read. */
  private take(line: InputLine): boolean {
    try {
      const message = readMessage(line);
      if (message) this.act(message);
      return message?.type !== 'end';
    } catch (error) {
      const isOurs = error instanceof InputMessageError;
      const what = isOurs ? error.message : `Line ${line.number} of the input has no effect: ${getErrorMessage(error)}`;
      this.options.onProblem(what);
      return true;
    }
  }

  private act(message: InputMessage): void {
    const { session } = this.options;
    switch (message.type) {
      case 'prompt':
        this.enqueue(message.content);
        return;
      case 'steer':
        this.steer(message.content);
        return;
      case 'approval':
        session.respond(message.callId, message.outcome, message.payload);
        this.questions.delete(message.callId);
        this.wasStopped ||= message.outcome === 'cancel';
        return;
      case 'fallback':
        session.answerFallback(message.requestId, message.intent);
        this.questions.delete(message.requestId);
        return;
      case 'set_approval_mode':
        this.options.setApprovalMode(message.mode);
        return;
      case 'interrupt':
        if (!this.prompt) throw new Error('no prompt is running.');
        this.wasStopped = true;
        this.prompt.abort();
        return;
      case 'end':
        return;
    }
  }

  /** Words for a prompt that has not begun wait for it; words that come too late are one of their own, not lost. */
  private steer(text: string): void {
    if (this.isSessionOpen) this.options.session.steer([{ text }]);
    else if (this.prompt || this.queue.length > 0) this.steering.push(text);
    else this.enqueue(text);
  }

  private enqueue(text: string): void {
    this.queue.push(text);
    this.arrived();
  }

  private arrived(): void {
    this.hasArrived.resolve();
    this.hasArrived = Promise.withResolvers<void>();
  }

  private async runPrompt(text: string): Promise<void> {
    const { signal } = this.options;
    const prompt = new AbortController();
    const onAbort = () => prompt.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.prompt = prompt;
    this.wasStopped = false;
    try {
      await this.options.runPrompt(text, prompt.signal, (event) => this.follow(event));
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.prompt = undefined;
      this.isSessionOpen = false;
      this.questions.clear();
      this.queue.unshift(...this.steering.splice(0));
    }
  }

  private follow(event: AgentEvent): void {
    switch (event.type) {
      case 'prompt_started':
        // What is answered without a model reads nothing; the words are a prompt of their own then.
        this.isSessionOpen = this.options.session.isBusy;
        if (!this.isSessionOpen) return;
        for (const text of this.steering.splice(0)) this.options.session.steer([{ text }]);
        return;
      case 'prompt_ended':
        this.isSessionOpen = false;
        this.prompt = undefined;
        return;
      case 'tool_call_confirmation':
        this.ask(event.value.request.callId, 'approval');
        return;
      case 'tool_call_response':
        this.questions.delete(event.value.callId);
        return;
      case 'fallback_requested':
        this.ask(event.requestId, 'fallback');
        return;
      case 'fallback_answered':
        this.questions.delete(event.requestId);
        return;
      default:
        // Nothing in the others changes what may be said or must be answered.
        return;
    }
  }

  private ask(id: string, kind: 'approval' | 'fallback'): void {
    if (this.hasInputEnded) this.refuse(id, kind);
    else this.questions.set(id, kind);
  }

  private refuse(id: string, kind: 'approval' | 'fallback'): void {
    const { session } = this.options;
    try {
      if (kind === 'approval') session.respond(id, 'cancel', { feedback: INPUT_ENDED });
      else session.answerFallback(id, 'stop');
    } catch {
      // It was settled in the meantime, by an abort for example.
    }
    this.questions.delete(id);
  }
}
