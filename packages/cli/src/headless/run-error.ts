/** Explains an exception that ended a run. Loaded only then. */

import { getErrorMessage, UnauthorizedError } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { RunError } from './run-summary.ts';
import type { OutputFormat } from './writer.ts';

interface FailedRun {
  /** How many its last request had. */
  attempts: number;
  format: OutputFormat;
  output: Output;
}

/** Explains errors the user can fix in a sentence; any other error is a bug of ours. */
export function explainRunError(error: unknown, { attempts, format, output }: FailedRun): RunError {
  if (error instanceof UnauthorizedError) {
    const { message: said, status } = error;
    const message = `the service rejected the credentials: ${describeRequestFailure({ message: said, status, attempts })}`;
    if (format === 'text') output.note(`castor: ${message}`);
    const known = { ...(status !== undefined && { status }), attempts };
    return { type: 'FatalAuthenticationError', message, code: ExitCode.Unauthorized, ...known };
  }
  if (error instanceof ExitError) {
    if (format === 'text') output.note(`castor: ${error.message}`);
    return { type: 'FatalInputError', message: error.message, code: error.exitCode };
  }
  const details = error instanceof Error && error.stack !== undefined ? error.stack : String(error);
  output.note(`castor: this is a bug in Castor, please report it.\n${details}`);
  const message = `this is a bug in Castor, please report it: ${getErrorMessage(error)}`;
  return { type: error instanceof Error ? error.name : 'Error', message, code: ExitCode.Failure };
}
