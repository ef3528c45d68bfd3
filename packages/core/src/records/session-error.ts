/** SessionError: why a session cannot be had as asked. The message is a whole sentence for the person who asked. */

import { getErrorMessage } from '../protocol/errors.ts';

export type SessionErrorReason =
  /** There is no such session, or none at all. */
  | 'not_found'
  /** The id is taken. */
  | 'exists'
  /** What was given is no id, index or session file. */
  | 'invalid'
  /** Another process works in it. */
  | 'locked';

export class SessionError extends Error {
  readonly reason: SessionErrorReason;
  /** The process that holds the session, with `locked`. */
  readonly pid: number | undefined;

  constructor(reason: SessionErrorReason, message: string, options: ErrorOptions & { pid?: number } = {}) {
    super(message, options);
    this.name = 'SessionError';
    this.reason = reason;
    this.pid = options.pid;
  }
}

/** For what the disk or a file says no to. */
export function toSessionError(what: string, cause: unknown): SessionError {
  return new SessionError('invalid', `${what}: ${getErrorMessage(cause)}`, { cause });
}
