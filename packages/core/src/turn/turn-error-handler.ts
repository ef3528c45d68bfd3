/**
 * TurnErrorHandler: one error that ended a turn becomes one event. Decisions are
 * taken on the class of the error, never on the words in it.
 */

import type { Content, Tool } from '../protocol/content.ts';
import {
  ApiError,
  BudgetExceededError,
  InvalidStreamError,
  UnauthorizedError,
  isAbortError,
  toFriendlyError,
  toStructuredError,
} from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { describeSchemaProblem } from './schema-hint.ts';

/** Told of an error that ends a turn, with the history and the request that led to it. Must not throw. */
export type ReportError = (error: unknown, context: Content[], type: string) => Promise<void>;

export interface TurnErrorContext {
  signal?: AbortSignal;
  /** The conversation that led to the error; only computed when a report is written. */
  history?: () => Content[];
  tools?: readonly Tool[];
}

const REPORT_TYPE = 'Turn.run-sendMessageStream';

export class TurnErrorHandler {
  private readonly reportError: ReportError | undefined;

  constructor(options: { reportError?: ReportError } = {}) {
    this.reportError = options.reportError;
  }

  /** Whether the same request may succeed later. */
  isRetryable(error: unknown): boolean {
    return (error instanceof ApiError || error instanceof InvalidStreamError) && error.retryable;
  }

  /** Throws `UnauthorizedError` and nothing else: without credentials there is no turn to speak of. */
  async handleError(error: unknown, context: TurnErrorContext = {}): Promise<ServerGeminiStreamEvent> {
    if (context.signal?.aborted || isAbortError(error)) return { type: GeminiEventType.UserCancelled };
    if (error instanceof InvalidStreamError) {
      return { type: GeminiEventType.InvalidStream, value: { type: error.type, message: error.message } };
    }
    const friendly = toFriendlyError(error);
    if (friendly instanceof UnauthorizedError) throw friendly;
    // A limit of the person's own is nothing to look into.
    if (!(friendly instanceof BudgetExceededError))
      await this.reportError?.(friendly, context.history?.() ?? [], REPORT_TYPE);
    const structured = toStructuredError(friendly);
    const hint = describeSchemaProblem(structured.message, context.tools ?? []);
    if (hint) structured.message += `\n${hint}`;
    return { type: GeminiEventType.Error, value: { error: structured } };
  }
}
