/**
 * ProgressWriter: reports the steps of a prompt to a client in one line each: what the model said before it called a
 * tool, each call and its failure, retries and messages for the user. The answer itself is the result.
 */

import { assertNever, GeminiEventType } from '@castor/core';
import type { AgentEvent, ToolCallResponseInfo } from '@castor/core';
import { describeRetry } from '../headless/retry-note.ts';
import type { HeadlessWriter } from '../headless/writer.ts';
import { sanitizeLine } from '../sanitize.ts';

const MAX_LINE = 300;

export class ProgressWriter implements HeadlessWriter {
  private readonly report: (message: string) => void;
  private readonly titles = new Map<string, string>();
  private said: string[] = [];

  constructor(report: (message: string) => void) {
    this.report = report;
  }

  write(event: AgentEvent): undefined {
    switch (event.type) {
      case GeminiEventType.Content:
        this.said.push(event.value);
        return;
      case GeminiEventType.Retry: {
        this.said = [];
        const note = describeRetry(event.value);
        if (note !== undefined) this.line(note);
        return;
      }
      case GeminiEventType.Thought:
        if (event.value.subject !== '') this.line(event.value.subject);
        return;
      case GeminiEventType.ToolCallRequest:
        if (this.said.length > 0) this.line(this.said.join(''));
        this.said = [];
        this.titles.set(event.value.callId, event.value.name);
        return;
      case 'tool_call_updated':
        if (event.shown) {
          const { name, description } = event.shown.display;
          this.titles.set(event.callId, `${name} ${description}`);
        }
        if (event.status === 'executing' && event.output === undefined && event.pid === undefined)
          this.line(this.titles.get(event.callId) ?? event.callId);
        return;
      case GeminiEventType.ToolCallResponse:
        return this.ended(event.value);
      case 'hook_message':
      case 'notice':
        return this.line(event.message);
      case GeminiEventType.ToolCallConfirmation:
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Error:
      case GeminiEventType.ChatCompressed:
      case GeminiEventType.MaxSessionTurns:
      case GeminiEventType.Finished:
      case GeminiEventType.LoopDetected:
      case GeminiEventType.Citation:
      case GeminiEventType.ContextWindowWillOverflow:
      case GeminiEventType.InvalidStream:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.AgentExecutionStopped:
      case GeminiEventType.AgentExecutionBlocked:
      case 'prompt_started':
      case 'prompt_ended':
      case 'background_ended':
      case 'mode_changed':
      case 'tools_changed':
      case 'fallback_requested':
      case 'fallback_answered':
        return;
      default:
        return assertNever(event);
    }
  }

  /** The result holds the end. */
  end(): undefined {
    return undefined;
  }

  private ended({ callId, error }: ToolCallResponseInfo): undefined {
    if (error) this.line(`${this.titles.get(callId) ?? callId} failed: ${error.message}`);
    this.titles.delete(callId);
    return undefined;
  }

  private line(text: string): undefined {
    const line = sanitizeLine(text).trim();
    if (line !== '') this.report(line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1).toWellFormed()}…`);
    return undefined;
  }
}
