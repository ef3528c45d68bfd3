/**
 * TurnErrorHandler: the documented form of a turn's error handling. Exists for the documented API; a `Turn` does the
 * same by itself (turn-failure.ts).
 */

import type { PartListUnion } from '../protocol/content.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { reportError } from './report-error.ts';
import { isRetryableError, shouldReportError, toFailureEvent } from './turn-failure.ts';
import type { Turn } from './turn.ts';

export interface TurnErrorContext {
  turn: Turn;
  input: PartListUnion;
  signal: AbortSignal;
}

export class TurnErrorHandler {
  /** Returns the error's event, after a report. Throws `UnauthorizedError` and nothing else. */
  static async handleTurnError(
    error: unknown,
    { turn, input, signal }: TurnErrorContext,
  ): Promise<ServerGeminiStreamEvent> {
    const report = (friendly: unknown) =>
      reportError(
        friendly,
        'Turn execution error',
        { contents: turn.getContents(input), debugResponses: turn.getDebugResponses(), timestamp: new Date() },
        'TurnErrorHandler.handleTurnError',
      );
    return toFailureEvent(error, { signal, report });
  }

  /** Whether the same request may succeed later: by the class of the error, not by its message. */
  static isRetryableError(error: unknown): boolean {
    return isRetryableError(error);
  }

  /** Whether a report would help: not for a cancel or missing credentials. */
  static shouldReportError(error: unknown): boolean {
    return shouldReportError(error);
  }
}
