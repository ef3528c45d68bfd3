/**
 * StdinConversation: turns a program's messages on stdin into prompts, answers and interruptions of a conversation, in
 * their order. Prompts wait for each other; everything else acts at once. Once stdin has ended, no answer can arrive:
 * questions are declined.
 */

import { getErrorMessage } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { ExitError } from '../exit-codes.ts';
import { assertYolo } from '../start/approval.ts';
import type { Start } from '../start/start.ts';
import { Conversation } from '../surface/conversation.ts';
import type { PreparedTurn } from '../surface/conversation-ports.ts';
import { InputMessageError, readMessage } from './input-message.ts';
import type { InputMessage } from './input-message.ts';
import type { InputLine } from './input-lines.ts';
import type { PromptRunner } from './prompt-runner.ts';
import { StreamJsonWriter } from './stream-json-writer.ts';

export interface StdinConversationOptions {
  runner: PromptRunner;
  settings: Start['settings'];
  lines: AsyncIterable<InputLine>;
  /** Ends the conversation. */
  signal: AbortSignal;
}

interface Question {
  kind: 'approval' | 'fallback';
  /** The event that asked; a child's has the address of the child. */
  event: AgentEvent;
}

const INPUT_ENDED = 'The input has ended, so this call cannot be approved.';

export class StdinConversation {
  private readonly options: StdinConversationOptions;
  private readonly conversation: Conversation;
  private readonly questions = new Map<string, Question>();
  private readonly stopped = Promise.withResolvers<void>();
  private hasInputEnded = false;
  /** Whether the calling program stopped the last prompt: interrupted it, or declined its call. */
  wasStopped = false;

  constructor(options: StdinConversationOptions) {
    this.options = options;
    const { runner, signal } = options;
    const ports = runner.ports(signal);
    this.conversation = new Conversation({
      ...ports,
      read: ({ text }, promptSignal) => this.readPrompt(text, promptSignal),
      show: (event) => {
        this.follow(event);
        return ports.show(event);
      },
      onError: (error) => {
        this.stopped.reject(error);
        throw error;
      },
    });
    // `run` rejects with it; the conversation may break before `run` is called.
    this.stopped.promise.catch(() => undefined);
    signal.addEventListener('abort', () => this.stopped.resolve(), { once: true });
    if (signal.aborted) this.stopped.resolve();
  }

  /** Resolves when the input has ended and everything in it was answered. */
  async run(first: string | PreparedTurn): Promise<void> {
    if (typeof first !== 'string') this.conversation.goOn(first);
    else if (first !== '') this.conversation.enqueue({ text: first });
    await Promise.race([this.readAll(), this.stopped.promise]);
    await this.conversation.settled();
  }

  private async readPrompt(words: string, signal: AbortSignal) {
    const { runner } = this.options;
    this.wasStopped = signal.aborted;
    try {
      return await runner.read({ words, piped: '' }, signal);
    } catch (error) {
      // One invalid prompt does not end the conversation.
      if (!(error instanceof ExitError)) throw error;
      const { message, exitCode: code } = error;
      if (!signal.aborted) this.onProblem(message);
      return runner.refuse({ type: 'FatalInputError', message, code }, signal);
    }
  }

  private onProblem(message: string): void {
    const { writer } = this.options.runner;
    if (writer instanceof StreamJsonWriter) void writer.problem('error', message);
  }

  private async readAll(): Promise<void> {
    try {
      for await (const line of this.options.lines) {
        if (!this.take(line)) break;
      }
    } catch (error) {
      this.onProblem(`Reading the input failed: ${getErrorMessage(error)}`);
    }
    this.hasInputEnded = true;
    for (const [id, question] of this.questions) this.decline(id, question);
  }

  /** False when reading must stop. */
  private take(line: InputLine): boolean {
    try {
      const message = readMessage(line);
      if (message) this.act(message);
      return message?.type !== 'end';
    } catch (error) {
      const isOurs = error instanceof InputMessageError;
      this.onProblem(
        isOurs ? error.message : `Line ${line.number} of the input has no effect: ${getErrorMessage(error)}`,
      );
      return true;
    }
  }

  private act(message: InputMessage): void {
    const { conversation } = this;
    const { session } = this.options.runner.agent;
    switch (message.type) {
      case 'prompt':
        conversation.enqueue({ text: message.content });
        return;
      case 'steer':
        conversation.steer(message.content);
        return;
      case 'approval':
        session.respond(message.callId, message.outcome, message.payload, this.questions.get(message.callId)?.event);
        this.questions.delete(message.callId);
        this.wasStopped ||= message.outcome === 'cancel';
        return;
      case 'fallback':
        session.answerFallback(message.requestId, message.intent, this.questions.get(message.requestId)?.event);
        this.questions.delete(message.requestId);
        return;
      case 'set_approval_mode':
        this.setApprovalMode(message.mode);
        return;
      case 'interrupt':
        if (!conversation.cancel()) throw new Error('no prompt is running.');
        this.wasStopped = true;
        return;
      case 'end':
        return;
    }
  }

  /** Throws with a sentence when the mode may not be set. */
  private setApprovalMode(mode: Extract<InputMessage, { type: 'set_approval_mode' }>['mode']): void {
    const { settings, runner } = this.options;
    if (mode === 'yolo') assertYolo(settings);
    if (mode === 'plan' && !settings.general.plan.enabled) throw new Error('plan mode is disabled.');
    runner.agent.policy.mode = mode;
  }

  private follow(event: AgentEvent): void {
    switch (event.type) {
      case 'prompt_ended':
        if (event.parentCallId === undefined) this.questions.clear();
        return;
      case 'tool_call_confirmation':
        this.ask(event.value.request.callId, { kind: 'approval', event });
        return;
      case 'tool_call_response':
        this.questions.delete(event.value.callId);
        return;
      case 'fallback_requested':
        this.ask(event.requestId, { kind: 'fallback', event });
        return;
      case 'fallback_answered':
        this.questions.delete(event.requestId);
        return;
      default:
        // The other events need no answer.
        return;
    }
  }

  private ask(id: string, question: Question): void {
    if (this.hasInputEnded) this.decline(id, question);
    else this.questions.set(id, question);
  }

  private decline(id: string, { kind, event }: Question): void {
    const { session } = this.options.runner.agent;
    try {
      if (kind === 'approval') session.respond(id, 'cancel', { problem: INPUT_ENDED }, event);
      else session.answerFallback(id, 'stop', event);
    } catch {
      // It was settled in the meantime, by an abort for example.
    }
    this.questions.delete(id);
  }
}
