/**
 * The answer as text: the model's words to stdout, everything about them to stderr.
 * On a terminal words are shown as they arrive and a failed attempt is marked; in a
 * pipe or a file they are held back until the attempt is accepted, so that the
 * reader gets the answer once and nothing else.
 */

import { assertNever, FinishReason, GeminiEventType } from '@castor/core';
import type { AgentEvent, RetryValue, ToolCallResponseInfo } from '@castor/core';
import type { Output } from '../output.ts';
import type { HeadlessWriter } from './writer.ts';

export class TextWriter implements HeadlessWriter {
  private readonly output: Output;
  private readonly callNames = new Map<string, string>();
  private held: string[] = [];
  private hasShownText = false;

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
        return this.fail(event.value.error.message);
      case GeminiEventType.InvalidStream:
        return this.fail(`the model gave no usable answer (${event.value.type}): ${event.value.message}`);
      case GeminiEventType.MaxSessionTurns:
        return this.fail('the limit of turns for a session is reached.');
      case GeminiEventType.LoopDetected:
        return this.fail('the model repeats itself; the prompt was stopped.');
      case GeminiEventType.ContextWindowWillOverflow:
        return this.fail(
          `the request (about ${event.value.estimatedRequestTokenCount} tokens) does not fit the model; ` +
            `${event.value.remainingTokenCount} tokens are left.`,
        );
      case GeminiEventType.AgentExecutionStopped:
        return this.fail(`a hook stopped the prompt: ${event.value.systemMessage ?? event.value.reason}`);
      case GeminiEventType.AgentExecutionBlocked:
        this.output.note(`castor: a hook blocked the request: ${event.value.systemMessage ?? event.value.reason}`);
        return undefined;
      case GeminiEventType.ToolCallRequest:
        this.callNames.set(event.value.callId, event.value.name);
        return undefined;
      case GeminiEventType.ToolCallResponse:
        this.toolEnded(event.value);
        return undefined;
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Thought:
      case GeminiEventType.Citation:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.ChatCompressed:
      case GeminiEventType.ToolCallConfirmation:
      case 'prompt_started':
      case 'prompt_ended':
      case 'tool_call_updated':
      case 'fallback_requested':
      case 'fallback_answered':
        return undefined;
      default:
        return assertNever(event);
    }
  }

  /** What there is to say was said when it happened. */
  end(): undefined {
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
      this.output.note(`castor: warning: the answer is not whole; the model stopped with ${reason}.`);
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
    const what = isVoid ? 'The text above is void: the attempt' : 'castor: the attempt';
    const again = value ? `; trying again in ${(value.delayMs / 1000).toFixed(1)} s` : '; trying again';
    this.output.note(`${what} failed${value ? ` (${value.error.message})` : ''}${again}.`);
  }

  private async fail(message: string): Promise<void> {
    this.held = [];
    if (this.hasShownText) await this.output.endAnswer();
    this.output.note(`castor: ${message}`);
  }
}
