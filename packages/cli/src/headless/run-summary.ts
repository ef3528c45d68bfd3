/**
 * RunSummary: what a run came to, folded from its events: the last answer, what was
 * wrong, and the exit code. The one table from an outcome to a number is here.
 */

import { GeminiEventType } from '@castor/core';
import type { AgentEvent, Outcome } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';

export interface RunError {
  /** A name scripts can switch on. */
  type: string;
  message: string;
  code: number;
}

const FAILURES: Readonly<Record<Exclude<Outcome, 'completed' | 'stopped'>, { type: string; code: ExitCode }>> = {
  cancelled: { type: 'FatalCancellationError', code: ExitCode.Interrupted },
  failed: { type: 'ApiError', code: ExitCode.Failure },
  max_turns: { type: 'FatalTurnLimitedError', code: ExitCode.TurnLimit },
  loop_detected: { type: 'LoopDetectedError', code: ExitCode.Failure },
  overflow: { type: 'ContextWindowOverflowError', code: ExitCode.Failure },
  invalid_stream: { type: 'InvalidStreamError', code: ExitCode.Failure },
  blocked: { type: 'BlockedByHookError', code: ExitCode.Failure },
};

const MESSAGES: Partial<Record<Outcome, string>> = {
  cancelled: 'The run was cancelled.',
  max_turns: 'The limit of turns for a session is reached.',
  loop_detected: 'The model repeats itself; the prompt was stopped.',
  overflow: 'The request does not fit the model.',
};

export class RunSummary {
  /** The text of the last model turn; nothing of a void attempt. */
  response = '';
  readonly warnings: string[] = [];
  error: RunError | undefined;
  private pieces: string[] = [];
  private outcome: Outcome | undefined;
  private hasFatalTool = false;

  add(event: AgentEvent): void {
    switch (event.type) {
      case GeminiEventType.Content:
        this.pieces.push(event.value);
        return;
      case GeminiEventType.Retry:
        this.pieces = [];
        return;
      case GeminiEventType.Finished:
        this.response = this.pieces.join('');
        this.pieces = [];
        if (event.value.reason !== 'STOP') this.warnings.push(`The model stopped with ${event.value.reason}.`);
        return;
      case GeminiEventType.AgentExecutionBlocked:
        this.warnings.push(`Agent execution blocked: ${event.value.systemMessage ?? event.value.reason}`);
        return;
      case GeminiEventType.ToolCallResponse:
        this.hasFatalTool ||= event.value.errorType === 'no_space_left';
        return;
      case 'prompt_ended':
        this.end(event.outcome, event.error?.message ?? event.detail);
        return;
      default:
        // Every other event changes nothing about what the run came to; the writers show them.
        return;
    }
  }

  /** For what ends a run from outside the stream. */
  fail(error: RunError): void {
    this.error = error;
  }

  get exitCode(): ExitCode {
    if (this.error) return this.error.code as ExitCode;
    return this.outcome === undefined ? ExitCode.Failure : ExitCode.Success;
  }

  private end(outcome: Outcome, message: string | undefined): void {
    this.outcome = outcome;
    if (outcome === 'completed' || outcome === 'stopped') return;
    const { type, code } = FAILURES[outcome];
    const text = message ?? MESSAGES[outcome] ?? 'The run failed.';
    this.error = this.hasFatalTool
      ? { type: 'FatalToolExecutionError', message: text, code: ExitCode.ToolFailure }
      : { type, message: text, code };
  }
}
