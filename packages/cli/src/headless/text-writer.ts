/**
 * Writes the answer as text: the model's words to stdout, everything about them to stderr. A terminal shows words as
 * they arrive and marks a failed attempt; for a pipe or a file the writer buffers them until the attempt is accepted,
 * so that the reader gets the answer once and nothing else.
 */

import { assertNever, FinishReason, GeminiEventType } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import type { AgentEvent, PromptEndedEvent, RetryValue, ToolCallResponseInfo } from '@castor/core';
import type { Output } from '../output.ts';
import { noteSessionEvent } from './session-note.ts';
import { describeOverflow } from './run-summary.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

export class TextWriter implements HeadlessWriter {
  private readonly output: Output;
  private readonly callNames = new Map<string, string>();
  private held: string[] = [];
  private hasShownText = false;
  /** Why a hook denied the running prompt. */
  private refusal: string | undefined;
  private hasExplained = false;

  constructor(output: Output) {
    this.output = output;
  }

  /** Resolves when the reader keeps up. */
  write(event: AgentEvent): Promise<void> | undefined {
    switch (event.type) {
      case GeminiEventType.Content:
        return this.content(event.value);
      case GeminiEventType.Finished:
        return this.finished(event.value.reason);
      case GeminiEventType.Retry:
        return this.retry(event.value);
      case GeminiEventType.Error:
        return this.fail(describeRequestFailure(event.value.error));
      case GeminiEventType.InvalidStream:
        return this.fail(
          `the model returned an invalid answer (${event.value.type}): ${describeRequestFailure(event.value)}`,
        );
      case GeminiEventType.MaxSessionTurns:
        return this.fail('the session reached its turn limit.');
      case GeminiEventType.LoopDetected:
        return this.fail('the model repeated itself, so Castor stopped the prompt.');
      case GeminiEventType.ContextWindowWillOverflow:
        return this.fail(describeOverflow(event.value));
      case GeminiEventType.AgentExecutionStopped:
        return this.stopped(event.value.systemMessage ?? event.value.reason);
      case GeminiEventType.AgentExecutionBlocked:
        this.refusal = event.value.reason;
        this.output.note(`[WARNING] Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
        return undefined;
      case GeminiEventType.ToolCallRequest:
        this.callNames.set(event.value.callId, event.value.name);
        return undefined;
      case GeminiEventType.ToolCallResponse:
        this.toolEnded(event.value);
        return undefined;
      case 'prompt_ended':
        return this.promptEnded(event);
      case 'hook_message':
      case 'notice':
      case 'background_ended':
      case 'mode_changed':
      case 'tools_changed':
        noteSessionEvent(this.output, event);
        return undefined;
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Thought:
      case GeminiEventType.Citation:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.ChatCompressed:
      case GeminiEventType.ToolCallConfirmation:
      case 'prompt_started':
      case 'tool_call_updated':
      case 'fallback_requested':
      case 'fallback_answered':
        return undefined;
      default:
        return assertNever(event);
    }
  }

  /** Everything else was reported when it happened. A reader that left asks for no reason. */
  end({ summary: { error } }: Pick<RunEnd, 'summary'>): undefined {
    const isCancelled = error?.type === 'FatalCancellationError' && !this.output.closed.aborted;
    if (isCancelled) this.output.note(`castor: ${error.message}`);
    return undefined;
  }

  private content(text: string): Promise<void> | undefined {
    if (!this.output.isLive) {
      this.held.push(text);
      return undefined;
    }
    this.hasShownText = true;
    return this.output.answer(text);
  }

  private async finished(reason: FinishReason | undefined): Promise<void> {
    await this.output.answer(this.held.join(''));
    this.held = [];
    this.hasShownText = false;
    await this.output.endAnswer();
    if (reason !== undefined && reason !== FinishReason.STOP) {
      this.output.note(`castor: warning: the answer is incomplete; the model stopped with ${reason}.`);
    }
  }

  private toolEnded({ callId, error, resultDisplay }: ToolCallResponseInfo): void {
    if (!error) return;
    const what = typeof resultDisplay === 'string' && resultDisplay !== '' ? resultDisplay : error.message;
    this.output.note(`Error executing tool ${this.callNames.get(callId) ?? callId}: ${what}`);
  }

  private async retry(value: RetryValue | undefined): Promise<void> {
    this.held = [];
    const isVoid = this.hasShownText;
    if (isVoid) await this.output.endAnswer();
    this.hasShownText = false;
    const prefix = isVoid ? 'The text above is void' : 'castor';
    // Most runs need no second attempt.
    const { describeRetry } = await import('./retry-note.ts');
    const note = describeRetry(value);
    if (note !== undefined) this.output.note(`${prefix}: ${note}`);
  }

  private fail(message: string): Promise<void> {
    return this.say(`castor: ${message}`);
  }

  private stopped(reason: string): Promise<void> {
    return this.say(`Agent execution stopped: ${reason}`);
  }

  /** The outcomes that no event of the turn reports. */
  private promptEnded({ outcome, detail = '' }: PromptEndedEvent): Promise<void> | undefined {
    const { refusal } = this;
    this.refusal = undefined;
    // The reason is the answer: the model gave none.
    if (outcome === 'blocked' && refusal !== undefined) return this.answered(refusal);
    if (outcome === 'stopped' && !this.hasExplained) return this.stopped(detail);
    // Words that a terminal shows stay; a pipe gets whole answers only.
    if (outcome === 'cancelled') return this.hasShownText ? this.output.endAnswer() : undefined;
    return outcome === 'budget_exceeded' ? this.fail(detail) : undefined;
  }

  private async answered(text: string): Promise<void> {
    await this.output.answer(text);
    await this.output.endAnswer();
  }

  private async say(note: string): Promise<void> {
    this.hasExplained = true;
    this.held = [];
    if (this.hasShownText) await this.output.endAnswer();
    this.output.note(note);
  }
}
