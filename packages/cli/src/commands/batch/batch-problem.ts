/** BatchProblem: ends a command of batches with a sentence and an exit code. Failures of the system become one. */

import { ExitCode } from '../../exit-codes.ts';

export class BatchProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.Failure) {
    super(message);
    this.name = 'BatchProblem';
    this.exitCode = exitCode;
  }
}

const DISK_FULL = /ENOSPC|EDQUOT|no space left|database or disk is full/i;

/** Undefined for an error that is no problem of the user's system. */
export function problemOf(error: unknown): BatchProblem | undefined {
  if (error instanceof BatchProblem) return error;
  const { name, message } = error as Error;
  if (name === 'QueueUnreachableError') return new BatchProblem(message);
  if (!DISK_FULL.test(message)) return undefined;
  const next = 'Nothing is lost: make room, then castor batch resume goes on.';
  return new BatchProblem(`The disk is full (${message}). ${next}`, ExitCode.ToolFailure);
}
