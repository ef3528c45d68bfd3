/**
 * The program: arguments to a surface, signals to an abort, an outcome to an exit
 * code. The process ends here and nowhere else: once everything written has reached
 * its reader or, after a signal, when the reader had its time.
 */

import { helpText, parseArguments } from './args.ts';
import type { CliArguments } from './args.ts';
import { chooseApproval, homeDirectory } from './approval.ts';
import { chooseModel } from './credentials.ts';
import { ExitCode, ExitError } from './exit-codes.ts';
import type { OutputFormat } from './headless/writer.ts';
import { createOutput } from './output.ts';
import type { Output } from './output.ts';
import { listenForSignals } from './signals.ts';
import { readStandardInput } from './stdin.ts';
import type { Interruption } from './signals.ts';

declare const CASTOR_VERSION: string;

/** How long the run may take to wind up after a signal, a slow reader included. */
const WIND_UP_MS = 3_000;

async function main(argv: readonly string[]): Promise<void> {
  // Whatever may end the process before the last line, it is no success.
  process.exitCode = ExitCode.Failure;
  const args = argv[0] === 'policy' ? {} : parse(argv);
  const output = createOutput({
    stdout: process.stdout,
    stderr: process.stderr,
    raw: !(args instanceof ExitError) && isRaw(args),
  });
  const interruption = listenForSignals((exitCode) => {
    setTimeout(() => process.exit(exitCode), WIND_UP_MS).unref();
  });
  let exitCode: ExitCode;
  try {
    exitCode =
      argv[0] === 'policy' ? await runPolicy(argv.slice(1), output) : await dispatch(args, output, interruption.signal);
  } catch (error) {
    exitCode = await explain(error, output, args instanceof ExitError ? 'text' : formatOf(args));
  }
  await output.drained();
  process.exit(settle(exitCode, output, interruption));
}

function parse(argv: readonly string[]): CliArguments | ExitError {
  try {
    return parseArguments(argv);
  } catch (error) {
    if (error instanceof ExitError) return error;
    throw error;
  }
}

async function dispatch(args: CliArguments | ExitError, output: Output, signal: AbortSignal): Promise<ExitCode> {
  if (args instanceof ExitError) throw args;
  if (args.help || args.version) {
    await output.answer(args.help ? helpText() : `${CASTOR_VERSION}\n`);
    return ExitCode.Success;
  }
  if (isRaw(args) && !args.acceptRawOutputRisk) {
    output.note('castor: warning: --raw-output lets the model send control sequences to your terminal.');
  }
  const choice = chooseModel(args, process.env);
  const approval = chooseApproval(args);
  // Loaded while the input is read: the two do not need each other.
  const [prompt, { runHeadless }] = await Promise.all([readPrompt(args, output, signal), import('./headless/run.ts')]);
  return runHeadless({
    prompt,
    format: formatOf(args),
    choice,
    approval,
    output,
    signal: either(signal, output.closed),
    cwd: process.cwd(),
    home: homeDirectory(process.env),
    environment: process.env,
    skipTrust: args.skipTrust ?? false,
  });
}

async function runPolicy(argv: readonly string[], output: Output): Promise<ExitCode> {
  const { runPolicyCommand } = await import('./commands/policy.ts');
  const io = {
    stdout: (text: string) => void output.answer(text),
    stderr: (text: string) => output.note(text.trimEnd()),
    home: homeDirectory(process.env),
    cwd: process.cwd(),
  };
  return (await runPolicyCommand([...argv], io)) as ExitCode;
}

/** Not `AbortSignal.any`: whether such a signal is aborted is asked for every frame, and costs a walk each time. */
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

/** Piped input, a blank line, the prompt; either may be absent. */
async function readPrompt(args: CliArguments, output: Output, signal: AbortSignal): Promise<string> {
  const piped = await readStandardInput(signal);
  if (piped.isCut) output.note('castor: warning: the piped input is longer than 8 MiB; the rest was left out.');
  const prompt = [piped.text, args.prompt ?? args.query ?? ''].filter((text) => text !== '').join('\n\n');
  if (prompt.trim() !== '' || signal.aborted) return prompt;
  throw new ExitError(ExitCode.Input, 'there is nothing to answer. Give a prompt: castor -p "…", or pipe one in.');
}

function formatOf({ outputFormat = 'text' }: CliArguments): OutputFormat {
  return outputFormat as OutputFormat;
}

/** A script that asked for JSON gets JSON, also for what went wrong before the run began. */
async function explain(error: unknown, output: Output, format: OutputFormat): Promise<ExitCode> {
  const isExpected = error instanceof ExitError;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = isExpected ? error.message : `this is a bug in Castor, please report it.\n${details}`;
  const code = isExpected ? error.exitCode : ExitCode.Failure;
  output.note(`castor: ${message}`);
  const failure = { type: isExpected ? 'FatalError' : 'Error', message, code };
  if (format === 'json') await output.answer(`${JSON.stringify({ error: failure }, null, 2)}\n`);
  if (format === 'stream-json') {
    const line = { type: 'result', timestamp: new Date().toISOString(), status: 'error', error: failure };
    await output.answer(`${JSON.stringify(line)}\n`);
  }
  return code;
}

/** The code the process ends with, once nothing can be written any more. */
function settle(exitCode: ExitCode, output: Output, interruption: Interruption): ExitCode {
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  if (output.failure) {
    output.note(`castor: the answer could not be written: ${output.failure.message}`);
    return ExitCode.Failure;
  }
  // A reader that has gone away has all it wanted.
  return output.closed.aborted ? ExitCode.Success : exitCode;
}

void main(process.argv.slice(2));
