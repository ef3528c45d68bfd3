/** SessionError: why a session request failed. The message is a whole sentence for the user. */

import { getErrorMessage } from '../protocol/errors.ts';

export type SessionErrorReason =
  /** The requested session is missing, or the project has none. */
  | 'not_found'
  /** The id is taken. */
  | 'exists'
  /** The given id, index or session file is invalid. */
  | 'invalid'
  /** Another process holds the session. */
  | 'locked';

export class SessionError extends Error {
  readonly reason: SessionErrorReason;
  /** The process that holds the session, with `locked`. */
  readonly pid: number | undefined;
  /** The requested session, where another request can succeed: to resume it or a copy, or by another name. */
  readonly wanted: string | undefined;

  constructor(
    reason: SessionErrorReason,
    message: string,
    options: ErrorOptions & { pid?: number; wanted?: string } = {},
  ) {
    super(message, options);
    this.name = 'SessionError';
    this.reason = reason;
    this.pid = options.pid;
    this.wanted = options.wanted;
  }
}

/** Wraps a file-system or parse error. */
export function toSessionError(what: string, cause: unknown): SessionError {
  return new SessionError('invalid', `${what}: ${getErrorMessage(cause)}`, { cause });
}
