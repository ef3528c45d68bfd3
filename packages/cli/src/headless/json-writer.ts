/** Writes the run as one JSON object to stdout, at its end. Errors are in it, and on stderr as well. */

import { GeminiEventType, isSessionEvent } from '@castor/core';
import type { AgentEvent, PromptEndedEvent, RetryValue } from '@castor/core';
import type { Output } from '../output.ts';
import { describeRetry } from './retry-note.ts';
import { noteSessionEvent } from './session-note.ts';
import { toJson } from '../to-json.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

export class JsonWriter implements HeadlessWriter {
  private readonly output: Output;
  private readonly sessionId: string;
  private stop: string | undefined;

  constructor(output: Output, sessionId: string) {
    this.output = output;
    this.sessionId = sessionId;
  }

  /** stdout stays empty until the end: half an object is invalid JSON. */
  write(event: AgentEvent): undefined {
    if (isSessionEvent(event)) noteSessionEvent(this.output, event);
    // The user who reads the log of a job sees a hook's decision in every format.
    if (event.type === GeminiEventType.AgentExecutionBlocked)
      this.output.note(`[WARNING] Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
    if (event.type === GeminiEventType.AgentExecutionStopped) this.stop = event.value.systemMessage;
    if (event.type === 'prompt_ended') this.noteStop(event);
    if (event.type === GeminiEventType.Retry) this.noteRetry(event.value);
    return undefined;
  }

  private noteRetry(value: RetryValue | undefined): void {
    const note = describeRetry(value);
    if (note !== undefined) this.output.note(`castor: ${note}`);
  }

  private noteStop({ outcome, detail }: PromptEndedEvent): void {
    if (outcome === 'stopped') this.output.note(`[WARNING] Agent execution stopped: ${this.stop ?? detail ?? ''}`);
    this.stop = undefined;
  }

  end({ summary, metrics, refused }: RunEnd): Promise<void> | undefined {
    const { response, error, warnings, budget, blocked, structured } = summary;
    const session_id = this.sessionId;
    if (error) this.output.note(toJson({ session_id, error }, { indent: 2 }));
    const result = {
      session_id,
      response,
      ...(structured !== undefined && { structured }),
      stats: metrics,
      ...(error && { error }),
      ...(budget && { budget }),
      ...(blocked && { blocked }),
      ...(refused && { airgap: { refused } }),
      ...(warnings.length > 0 && { warnings }),
    };
    return this.output.answer(`${toJson(result, { indent: 2 })}\n`);
  }
}
