/**
 * Converts an error that ended a turn into its event, after a report. Decisions depend on the class of the error;
 * only a plain error of a caller, which has nothing else, is classified by its message.
 */

import type { PartListUnion } from '../protocol/content.ts';
import {
  BudgetExceededError,
  InvalidStreamError,
  UnauthorizedError,
  getErrorMessage,
  isAbortError,
  toFriendlyError,
  toStructuredError,
} from '../protocol/errors.ts';
import type { StructuredError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { retryKind, retryRule } from '../provider/retry-table.ts';

/** The context of an error: a conversation, or any fields. */
export type ReportContext = readonly (PartListUnion | object)[] | Record<string, unknown>;

/**
 * Called with an error that ends a turn, a sentence on when it happened, its context and its place. Must not throw.
 */
export type ReportError = (error: unknown, message: string, context?: ReportContext, type?: string) => Promise<void>;

export interface TurnFailureTerms {
  signal: AbortSignal;
  /** How many were made. */
  attempts?: number;
  report: (error: unknown) => Promise<void>;
  /** Adds to the message what the error itself does not say. */
  explain?: (error: StructuredError) => Promise<void>;
}

const RETRYABLE_WORDS = ['network error', 'timeout', 'rate limit', 'service unavailable', 'temporary failure'];

/** Throws `UnauthorizedError` and nothing else: without credentials there is no turn to report on. */
export async function toFailureEvent(error: unknown, terms: TurnFailureTerms): Promise<ServerGeminiStreamEvent> {
  if (terms.signal.aborted || isAbortError(error)) return { type: GeminiEventType.UserCancelled };
  if (error instanceof InvalidStreamError) {
    const { attempts = 1 } = terms;
    const value = { type: error.type, message: error.message, ...(attempts > 1 && { attempts }) };
    return { type: GeminiEventType.InvalidStream, value };
  }
  const friendly = toFriendlyError(error);
  if (friendly instanceof UnauthorizedError) throw friendly;
  if (shouldReportError(friendly)) await terms.report(friendly);
  const structured = toStructuredError(friendly);
  if (terms.attempts !== undefined && terms.attempts > 1) structured.attempts = terms.attempts;
  await terms.explain?.(structured);
  return { type: GeminiEventType.Error, value: { error: structured } };
}

/** Whether the same request may succeed later. */
export function isRetryableError(error: unknown): boolean {
  if (retryKind(error) !== 'unknown') return retryRule('stream', error).retry;
  const message = getErrorMessage(error).toLowerCase();
  return !(error instanceof BudgetExceededError) && RETRYABLE_WORDS.some((words) => message.includes(words));
}

/** A cancel, a missing credential and the user's own limit need no investigation. */
export function shouldReportError(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof BudgetExceededError || isAbortError(error)) return false;
  return retryKind(error) !== 'unknown' || !getErrorMessage(error).includes('aborted');
}
