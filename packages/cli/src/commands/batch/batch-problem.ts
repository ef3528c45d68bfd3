/** BatchProblem: ends a command of batches with a sentence and an exit code. */

import { ExitCode } from '../../exit-codes.ts';

export class BatchProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.Failure) {
    super(message);
    this.name = 'BatchProblem';
    this.exitCode = exitCode;
  }
}
