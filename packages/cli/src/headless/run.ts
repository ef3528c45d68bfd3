/**
 * A run without a screen: the session's events to a writer, and an exit code. It owns
 * the order of things and no format, no signal and no exit. Whatever happens once it
 * has begun, the writer is told the end of it, once.
 */

import { getErrorMessage, UnauthorizedError } from '@castor/core';
import type { SessionEvent, WorkspaceAgent } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { Interruption } from '../signals.ts';
import { inFormat, prepareStart } from '../start/start.ts';
import type { Start, StartContext } from '../start/start.ts';
import { openAgent } from './open-agent.ts';
import { openSessionFor } from './open-session.ts';
import { PromptRunner } from './prompt-runner.ts';
import { beginSession, endSession } from './session-hooks.ts';
import { RunSummary } from './run-summary.ts';
import type { RunError } from './run-summary.ts';
import { TextWriter } from './text-writer.ts';
import type { HeadlessWriter, OutputFormat } from './writer.ts';

export interface HeadlessOptions extends StartContext {
  /** What the command line says. */
  words: string;
  /** What came through stdin. */
  piped: string;
  /** Undefined: the settings say. */
  format: OutputFormat | undefined;
  output: Output;
  interruption: Interruption;
  /** Ends the run at once. */
  signal: AbortSignal;
}

/** As in Gemini CLI: a run without a screen counts from the first turn on, a session with one has no limit of 0. */
const NO_TURNS =
  'The settings allow no turn: model.maxSessionTurns is 0. Set it to the number of turns, or to -1 for no limit.';

/** Throws an ExitError when there is nothing to run with. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { args, output, interruption, signal } = options;
  const startedAt = Date.now();
  const start = prepareOrRefuse(options);
  const format = options.format ?? start.settings.output.format;
  for (const warning of start.warnings) output.note(`castor: warning: ${warning}`);
  if (start.settings.model.maxSessionTurns === 0) throw inFormat(new ExitError(ExitCode.TurnLimit, NO_TURNS), format);
  const isConversation = args.inputFormat === 'stream-json';
  if (!isConversation && !signal.aborted) checkInput(options, format);
  const opened = await openAll(start, isConversation, options).catch((error: unknown) => {
    throw inFormat(error, format);
  });
  const { session, interrupted, agent, reports, telemetry } = opened;
  const writer = await openWriter(format, {
    output,
    choice: start.choice,
    sessionId: session.sessionId,
    isConversation,
  });
  const summary = new RunSummary();
  const runner = new PromptRunner({ start, session, agent, writer, summary, output, startedAt });

  let hasEnded = false;
  const end = (): Promise<void> | undefined => {
    if (hasEnded) return undefined;
    hasEnded = true;
    blame(summary, interruption);
    return writer.end({ summary, metrics: agent.ledger.metrics(), durationMs: Date.now() - startedAt });
  };
  interruption.lastWords = () => {
    void end();
    void output.drained();
  };
  // Killed right after, the session still contains everything that was shown.
  output.beforeAnswer = () => session.recorder.flush();
  const following = follow(agent.session, (event) => void runner.show(event));
  try {
    await writer.begin?.();
    runner.preface = await beginSession(agent, args, signal);
    if (interrupted) await runner.goOn(interrupted, signal);
    if (isConversation) await converse(options, start, runner);
    else if (!interrupted) await runner.run(options, signal);
  } catch (error) {
    summary.fail(explain(error, format, output));
  }
  await windUp();
  await end();
  if (summary.exitCode !== ExitCode.Success) telemetry?.note({ kind: 'exit_failed' });
  await telemetry?.shutdown();
  for (const path of reports) output.note(`castor: details of the error: ${path}`);
  return summary.exitCode;

  async function windUp(): Promise<void> {
    try {
      await endSession(agent, signal);
      await agent.dispose();
      await following;
    } catch (error) {
      output.note(`castor: warning: some processes could not be ended: ${getErrorMessage(error)}`);
    }
  }
}

/** Shows what happens between prompts, until the session is closed. */
async function follow(session: WorkspaceAgent['session'], show: (event: SessionEvent) => void): Promise<void> {
  for await (const event of session.events()) show(event);
}

/** Without a prompt a missing key does not matter: the missing prompt is reported. */
function prepareOrRefuse(options: HeadlessOptions): Start {
  try {
    return prepareStart({ ...options, isAttended: false });
  } catch (error) {
    const isEarly = error instanceof ExitError && error.exitCode === ExitCode.Unauthorized;
    const format = isEarly ? (options.format ?? (error.outputFormat as OutputFormat | undefined)) : undefined;
    if (isEarly && options.args.inputFormat !== 'stream-json') checkInput(options, format ?? 'text');
    throw error;
  }
}

/** Throws an ExitError when there is nothing to answer. */
function checkInput({ args, words, piped, output }: HeadlessOptions, format: OutputFormat): void {
  if (args.continue) {
    if (piped.trim() !== '') output.note('castor: warning: --continue uses the interrupted prompt and ignores stdin.');
    return;
  }
  if (`${piped}${words}`.trim() !== '') return;
  const message = 'No input provided via stdin. Pass a prompt with castor -p "…", or pipe one in.';
  throw inFormat(new ExitError(ExitCode.Input, message), format);
}

async function openAll(start: Start, isConversation: boolean, { output, signal }: HeadlessOptions) {
  const { session, interrupted } = await openSessionFor(start, output);
  const opened = await openAgent({ start, session, interactive: isConversation, output, signal });
  return { session, interrupted, ...opened };
}

async function converse(options: HeadlessOptions, start: Start, runner: PromptRunner): Promise<void> {
  const { openConversation } = await import('./open-conversation.ts');
  const { summary } = runner;
  const conversation = openConversation(options, start, runner);
  // With nothing asked, nothing went wrong.
  summary.succeed();
  await conversation.run();
  // What the other side stopped itself went as it wished.
  if (conversation.wasStopped && summary.outcome === 'cancelled') summary.succeed();
}

/** What the person can mend is said in a sentence; anything else that is thrown is ours. */
function explain(error: unknown, format: OutputFormat, output: Output): RunError {
  if (error instanceof UnauthorizedError) {
    const message = `the service rejected the credentials: ${error.message}`;
    if (format === 'text') output.note(`castor: ${message}`);
    return { type: 'FatalAuthenticationError', message, code: ExitCode.Unauthorized };
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

/** What ended the run from outside is the reason, whatever the session made of it. */
function blame(summary: RunSummary, { crash, exitCode }: Interruption): void {
  if (crash) {
    const message = `this is a bug in Castor, please report it: ${crash.message}`;
    summary.fail({ type: crash.name, message, code: ExitCode.Failure });
  } else if (exitCode !== undefined) {
    summary.fail({ type: 'FatalCancellationError', message: 'The run was cancelled.', code: exitCode });
  }
}

interface WriterOptions {
  output: Output;
  choice: Start['choice'];
  sessionId: string;
  isConversation: boolean;
}

async function openWriter(format: OutputFormat, options: WriterOptions): Promise<HeadlessWriter> {
  const { output, choice, sessionId, isConversation } = options;
  if (format === 'text') return new TextWriter(output);
  if (format === 'json') return new (await import('./json-writer.ts')).JsonWriter(output, sessionId);
  const { StreamJsonWriter } = await import('./stream-json-writer.ts');
  return new StreamJsonWriter(output, { sessionId, model: choice.model, isConversation });
}
