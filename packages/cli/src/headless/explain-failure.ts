/** Explains on stderr, and in the output format of the run, why the program could not start or broke. */

import { UsageError } from '../args/args.ts';
import type { CliArguments } from '../args/args.ts';
import { isDebug } from '../debug-mode.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { tellFailure } from './tell-failure.ts';

/** A script that requested JSON gets JSON, also for failures before the run began. */
export async function explainFailure(
  error: unknown,
  output: Output,
  argv: readonly string[],
  args: CliArguments | undefined,
): Promise<ExitCode> {
  const isExpected = error instanceof ExitError;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = isExpected ? error.message : `this is a bug in Castor, please report it.\n${details}`;
  const code = isExpected ? error.exitCode : ExitCode.Failure;
  output.note(`castor: ${message}`);
  if (error instanceof UsageError) output.note('castor --help lists the flags.');
  if (isExpected && isDebug(args, process.env) && error.cause instanceof Error) output.note(`${error.cause.stack}`);
  const outputFormat = isExpected ? error.outputFormat : undefined;
  await tellFailure({ message, code, isExpected }, { argv, args, outputFormat }, output);
  return code;
}
