/**
 * RunSummary: folds the events of a run into its result: the last answer, the error, and the exit code. It holds the
 * one table from an outcome to an exit code. Of several prompts the last one counts.
 */

import { assertNever, GeminiEventType } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import type { AgentEvent, ContextWindowWillOverflowValue, Outcome, PromptEndedEvent, SpentBudget } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';

export interface RunError {
  /** A name scripts can switch on. */
  type: string;
  message: string;
  code: number;
  /** The HTTP status of a failed request. */
  status?: number;
  /** How many were made, of a request that failed. */
  attempts?: number;
}

const FAILURES: Readonly<Record<Exclude<Outcome, 'completed' | 'stopped'>, { type: string; code: ExitCode }>> = {
  cancelled: { type: 'FatalCancellationError', code: ExitCode.Interrupted },
  failed: { type: 'ApiError', code: ExitCode.Failure },
  max_turns: { type: 'FatalTurnLimitedError', code: ExitCode.TurnLimit },
  loop_detected: { type: 'LoopDetectedError', code: ExitCode.Loop },
  overflow: { type: 'ContextWindowOverflowError', code: ExitCode.Overflow },
  invalid_stream: { type: 'InvalidStreamError', code: ExitCode.Failure },
  blocked: { type: 'BlockedByHookError', code: ExitCode.Failure },
  budget_exceeded: { type: 'BudgetExceededError', code: ExitCode.Budget },
};

export const CANCELLED = 'The run was cancelled.';

const MESSAGES: Partial<Record<Outcome, string>> = {
  cancelled: CANCELLED,
  max_turns: 'The session reached its turn limit.',
  loop_detected: 'The model repeated itself, so Castor stopped the prompt.',
};

export function describeOverflow(value: ContextWindowWillOverflowValue): string {
  const { estimatedRequestTokenCount: request, remainingTokenCount: left } = value;
  if (left <= 0)
    return `Context files exceed the context window by ${-left} tokens: shorten them, or use a larger one.`;
  return `The request (about ${request} tokens) exceeds the model's context window; ${left} tokens are left.`;
}

/** A hook denied the prompt. Nothing failed: the reason is the answer, as in Gemini CLI. */
export interface BlockedPrompt {
  hook: string;
  reason: string;
}

/** Hooks that can keep the prompt from the model. */
const GATES: ReadonlySet<string | undefined> = new Set(['BeforeAgent', 'BeforeModel']);

/** Endings that keep the words of an answer that was under way. */
const CUT: ReadonlySet<Outcome> = new Set<Outcome>(['cancelled', 'budget_exceeded']);

const INVALID_ANSWER = { type: 'InvalidAnswerError', code: ExitCode.InvalidAnswer };

export class RunSummary {
  /** The text of the last model turn, without void attempts. */
  response = '';
  readonly warnings: string[] = [];
  /** The answer as a value, with --output-schema. */
  structured: unknown;
  error: RunError | undefined;
  /** The amount spent, when the budget ended the run. */
  budget: SpentBudget | undefined;
  /** For the last prompt, when a hook denied it before the model was asked. */
  blocked: BlockedPrompt | undefined;
  /** For the last prompt that ended. */
  outcome: Outcome | undefined;
  private refusal: BlockedPrompt | undefined;
  private stop: string | undefined;
  private pieces: string[] = [];
  private overflow: string | undefined;
  private hasFatalTool = false;
  private isInvalidAnswer = false;
  private invalidAttempts: number | undefined;
  private retries = 0;

  add(event: AgentEvent): void {
    switch (event.type) {
      case GeminiEventType.Content:
        this.pieces.push(event.value);
        return;
      case GeminiEventType.Retry:
        this.pieces = [];
        this.retries += event.value ? 1 : 0;
        return;
      case GeminiEventType.Finished:
        this.response = this.pieces.join('');
        this.pieces = [];
        this.retries = 0;
        // The model knows of it and continued.
        this.hasFatalTool = false;
        if (event.value.reason !== 'STOP') this.warnings.push(`The model stopped with ${event.value.reason}.`);
        return;
      case GeminiEventType.AgentExecutionBlocked: {
        const { hook, reason, systemMessage } = event.value;
        this.warnings.push(`Agent execution blocked: ${systemMessage ?? reason}`);
        this.refusal = { hook: hook ?? '', reason };
        return;
      }
      case GeminiEventType.AgentExecutionStopped:
        this.stop = event.value.systemMessage ?? event.value.reason;
        return;
      case GeminiEventType.LoopDetected:
        this.warnings.push('Loop detected, stopping execution');
        return;
      case GeminiEventType.MaxSessionTurns:
        this.warnings.push('Maximum session turns exceeded');
        return;
      case GeminiEventType.InvalidStream:
        this.isInvalidAnswer = event.value.type === 'INVALID_ANSWER';
        this.invalidAttempts = event.value.attempts ?? 1;
        return;
      case GeminiEventType.ContextWindowWillOverflow:
        this.overflow = describeOverflow(event.value);
        return;
      case GeminiEventType.ToolCallResponse:
        this.hasFatalTool ||= event.value.errorType === 'no_space_left';
        return;
      case 'hook_message':
        if (event.level === 'warning') this.warnings.push(event.message);
        return;
      case 'prompt_ended':
        this.end(event);
        return;
      // `prompt_ended` reports the result of the run; these only lead to it.
      case GeminiEventType.Error:
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Thought:
      case GeminiEventType.Citation:
      case GeminiEventType.ModelInfo:
      case GeminiEventType.ChatCompressed:
      case GeminiEventType.ToolCallRequest:
      case GeminiEventType.ToolCallConfirmation:
      case 'notice':
      case 'background_ended':
      case 'mode_changed':
      case 'tools_changed':
      case 'prompt_started':
      case 'tool_call_updated':
      case 'fallback_requested':
      case 'fallback_answered':
        return;
      default:
        assertNever(event);
    }
  }

  /** How many attempts the running request has had. */
  get attempts(): number {
    return this.retries + 1;
  }

  /** For causes outside the stream that end a run. */
  fail(error: RunError): void {
    this.error = error;
  }

  /** For a run that was stopped on request, or had nothing to do. */
  succeed(): void {
    this.outcome = 'completed';
    this.error = undefined;
    this.budget = undefined;
  }

  get exitCode(): ExitCode {
    if (this.error) return this.error.code as ExitCode;
    return this.outcome === undefined ? ExitCode.Failure : ExitCode.Success;
  }

  private end({ outcome, error, detail, budget }: PromptEndedEvent): void {
    this.outcome = outcome;
    this.error = undefined;
    this.budget = budget;
    const { refusal } = this;
    this.refusal = undefined;
    this.blocked = outcome === 'blocked' && GATES.has(refusal?.hook) ? refusal : undefined;
    if (this.blocked) this.response = this.blocked.reason;
    if (CUT.has(outcome) && this.pieces.length > 0) this.response = this.pieces.join('');
    this.pieces = [];
    const stop = this.stop ?? detail ?? '';
    this.stop = undefined;
    if (outcome === 'stopped') this.warnings.push(`Agent execution stopped: ${stop}`);
    if (this.blocked || outcome === 'completed' || outcome === 'stopped') return;
    const told = error && describeRequestFailure(error);
    const { status } = error ?? {};
    const attempts = outcome === 'invalid_stream' ? this.invalidAttempts : error?.reason && (error.attempts ?? 1);
    this.error = {
      ...this.failureOf(outcome, told ?? detail),
      ...(status !== undefined && { status }),
      ...(attempts !== undefined && error?.reason !== 'budget_exceeded' && { attempts }),
    };
  }

  private failureOf(outcome: keyof typeof FAILURES, told: string | undefined): RunError {
    const message = told ?? MESSAGES[outcome] ?? this.overflow ?? 'The run failed.';
    if (this.hasFatalTool) return { type: 'FatalToolExecutionError', message, code: ExitCode.ToolFailure };
    const isAnswer = outcome === 'invalid_stream' && this.isInvalidAnswer;
    const { type, code } = isAnswer ? INVALID_ANSWER : FAILURES[outcome];
    return { type, message, code };
  }
}
