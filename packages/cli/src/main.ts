/**
 * The program: maps arguments to a surface, signals to an abort, an outcome to an exit code. Only this file ends the
 * process: once everything written has reached its reader or, after a signal, when the time for the reader is over.
 */

import { isatty } from 'node:tty';
import { homeDirectory } from './home-directory.ts';
import { findSubcommand, parseArguments } from './args/args.ts';
import type { CliArguments } from './args/args.ts';
import { ExitCode, ExitError } from './exit-codes.ts';
import type { OutputFormat } from './headless/writer.ts';
import { createOutput } from './output.ts';
import type { Output } from './output.ts';
import { describeCrash, listenForSignals } from './signals.ts';
import type { Interruption } from './signals.ts';
import { settleProcess } from './process-end.ts';
import { readStandardInput } from './prompt/stdin.ts';
import { chooseSurface } from './start/choose-surface.ts';
import { mayNeedContainer } from './start/may-need-container.ts';

declare const CASTOR_VERSION: string;

const SUBCOMMANDS: ReadonlySet<string> = new Set(
  'audit batch branch config doctor eval extension extensions gemma hook hooks import leaks login logout mcp models policy replay sandbox sessions skill skills undo worker'.split(
    ' ',
  ),
);

async function main(argv: readonly string[]): Promise<void> {
  // Whatever ends the process before the last line is a failure.
  process.exitCode = ExitCode.Failure;
  const subcommand = read(() => findSubcommand(argv, SUBCOMMANDS));
  const args = subcommand instanceof ExitError ? subcommand : subcommand ? {} : read(() => parseArguments(argv));
  const output = createOutput({
    stdout: process.stdout,
    stderr: process.stderr,
    raw: !(args instanceof ExitError) && isRaw(args),
  });
  const interruption = listenForSignals();
  if (process.env['CASTOR_LIFELINE']) (await import('./lifeline.ts')).watchLifeline();
  let exitCode: ExitCode;
  try {
    if (args instanceof ExitError) throw args;
    exitCode = Array.isArray(subcommand)
      ? await runWords(subcommand, output, interruption)
      : await dispatch(args, argv, output, interruption);
  } catch (error) {
    const { explainFailure } = await import('./headless/explain-failure.ts');
    exitCode = await explainFailure(error, output, argv, args instanceof ExitError ? undefined : args);
  }
  await settleProcess();
  await output.drained();
  process.exit(settle(exitCode, output, interruption));
}

/** An invalid command line is reported once there is an output for it. */
function read<T>(parse: () => T): T | ExitError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ExitError) return error;
    throw error;
  }
}

/** A subcommand never starts an agent, save the one that offers it to other programs. */
async function runWords(words: readonly string[], output: Output, interruption: Interruption): Promise<ExitCode> {
  if (words[0] === 'mcp' && words[1] === 'serve') {
    return (await import('./serve/run.ts')).runServe(words.slice(2), output, interruption);
  }
  return (await import('./commands/subcommands.ts')).runSubcommand(words, output, interruption);
}

async function dispatch(
  args: CliArguments,
  argv: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  if (args.help || args.version) {
    await output.answer(args.help ? (await import('./args/help.ts')).helpText() : `${CASTOR_VERSION}\n`);
    return ExitCode.Success;
  }
  if (args.listSessions || args.listExtensions || args.deleteSession !== undefined) {
    return (await import('./commands/subcommands.ts')).runListing(args, output);
  }
  // Before a setting of the recording is read.
  if (args.replayIn !== undefined) (await import('./recording/seal-process.ts')).sealProcess();
  if (isRaw(args) && !args.acceptRawOutputRisk) {
    output.note('castor: warning: --raw-output lets the model send control sequences to your terminal.');
  }
  const place = { cwd: process.cwd(), home: homeDirectory(process.env), environment: process.env };
  if (args.replayIn === undefined && mayNeedContainer({ args, ...place })) {
    const { runInContainer } = await import('./container/run-container.ts');
    const note = (line: string) => output.note(line);
    const hasTerminal = isatty(0) && isatty(1);
    const code = await runInContainer({ args, words: argv, ...place, hasTerminal, interruption, note });
    if (code !== undefined) return code as ExitCode;
  }
  const surface = chooseSurface({
    args,
    environment: process.env,
    isInputTerminal: isatty(0),
    isOutputTerminal: isatty(1),
  });
  if (surface.kind !== 'headless' && (args.record ?? args.replayIn) !== undefined)
    throw new ExitError(ExitCode.Input, '--record records a run of one prompt: castor --record <file> -p "…".');
  if (surface.kind === 'acp') return (await import('./acp/run.ts')).runAcp({ args, output, interruption });
  if (surface.kind === 'interactive') {
    const { runTui } = await import('./tui/run.ts');
    const { prompt, notice } = surface;
    return runTui({ args, ...place, prompt, notice, interruption, version: CASTOR_VERSION });
  }
  const { signal } = interruption;
  // Loaded while stdin is read: the two are independent.
  const [piped, { runHeadless }] = await Promise.all([readPiped(args, output, signal), import('./headless/run.ts')]);
  return runHeadless({
    args,
    words: surface.prompt,
    piped,
    format: formatOf(args),
    output,
    interruption,
    signal: either(signal, output.closed),
    ...place,
  });
}

/** Not `AbortSignal.any`: `aborted` is read for every frame, and such a signal walks its sources each time. */
function either(...signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}

function isRaw({ rawOutput, acceptRawOutputRisk }: CliArguments): boolean {
  return rawOutput === true || acceptRawOutputRisk === true;
}

/** Reads stdin as data. */
async function readPiped(args: CliArguments, output: Output, signal: AbortSignal): Promise<string> {
  // A stream of messages is read one by one, as they arrive.
  if (args.inputFormat === 'stream-json') return '';
  const { text, isCut } = await readStandardInput(signal);
  if (isCut) output.note('castor: warning: the piped input is longer than 8 MiB; Castor ignored the rest.');
  return text;
}

/** Undefined without a flag; the settings then decide. */
function formatOf({ outputFormat, inputFormat }: CliArguments): OutputFormat | undefined {
  return (outputFormat ?? (inputFormat === 'stream-json' ? inputFormat : undefined)) as OutputFormat | undefined;
}

/** The exit code once nothing can be written any more. */
function settle(exitCode: ExitCode, output: Output, interruption: Interruption): ExitCode {
  if (interruption.crash) {
    output.note(describeCrash(interruption.crash));
  }
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  if (output.failure) {
    output.note(`castor: the answer could not be written: ${output.failure.message}`);
    return ExitCode.Failure;
  }
  // A reader that closed the pipe has all it wanted.
  return output.closed.aborted ? ExitCode.Success : exitCode;
}

void main(process.argv.slice(2));
