/**
 * Runs without a screen: passes the session's events to a writer and returns an exit code. It owns the order of the
 * steps, but no format, no signal and no exit. Once the run has begun, the writer receives its end exactly once,
 * whatever happens.
 */

import { getErrorMessage } from '@castor/core';
import type { AnswerFormat } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { OpenedTape } from '../recording/open-tape.ts';
import type { Interruption } from '../signals.ts';
import { describeRefused, refusedConnections } from '../start/airgap.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { inFormat, prepareStart } from '../start/start.ts';
import type { Start, StartContext } from '../start/start.ts';
import { Conversation } from '../surface/conversation.ts';
import type { PreparedTurn } from '../surface/conversation-ports.ts';
import { openAgent } from '../surface/open-agent.ts';
import { LiveSession } from '../surface/session-lifecycle.ts';
import { occasionOf, wishOf } from '../surface/session-wish.ts';
import { PromptRunner } from './prompt-runner.ts';
import { CANCELLED, RunSummary } from './run-summary.ts';
import { TextWriter } from './text-writer.ts';
import type { HeadlessWriter, OutputFormat } from './writer.ts';

export interface HeadlessOptions extends Omit<StartContext, 'installed'> {
  /** The flags of the command line. */
  words: string;
  /** The data read from stdin. */
  piped: string;
  /** Undefined: the settings decide. */
  format: OutputFormat | undefined;
  output: Output;
  interruption: Interruption;
  /** Ends the run at once. */
  signal: AbortSignal;
}

/** Throws an ExitError when the run cannot start. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { args, output, interruption, signal } = options;
  const startedAt = Date.now();
  const start = await prepareOrRefuse(options);
  const format = options.format ?? start.settings.output.format;
  for (const warning of start.warnings) output.note(`castor: warning: ${warning}`);
  if (start.settings.model.maxSessionTurns === 0) throw inFormat((await import('./no-turns.ts')).noTurns(), format);
  for (const notice of start.notices) output.note(notice);
  const isConversation = args.inputFormat === 'stream-json';
  if (!isConversation && !signal.aborted) checkInput(options, format);
  const schema = args.outputSchema === undefined ? undefined : await import('./output-schema.ts');
  const tape = await openTapeFor(start, options);
  const reports: string[] = [];
  const readFormat = () => schema?.readOutputSchema(args.outputSchema ?? '', start.cwd);
  const live = await openLive(start, reports, { ...options, tape }, readFormat).catch((error: unknown) => {
    tape?.finish(error instanceof ExitError ? error.exitCode : ExitCode.Failure);
    throw inFormat(error, format);
  });
  const { agent, session } = live;
  const plain = await openWriter(format, {
    output,
    model: agent.requestedModel(),
    sessionId: session.sessionId,
    isConversation,
  });
  const writer: HeadlessWriter = schema && format === 'text' ? new schema.StructuredWriter(plain, output) : plain;
  if (args.task?.includes('spending')) agent.ledger.onRecord = () => writer.spent?.(agent.ledger.metrics());
  const summary = new RunSummary();
  const runner = new PromptRunner({ start, live, writer, summary, output, startedAt });

  let hasEnded = false;
  const end = (): Promise<void> | undefined => {
    if (hasEnded) return undefined;
    hasEnded = true;
    blame(summary, interruption);
    schema?.noteStructured(summary);
    const refused = refusedConnections();
    if (refused && refused.length > 0) output.note(`castor: ${describeRefused(refused)}`);
    return writer.end({ summary, metrics: agent.ledger.metrics(), durationMs: Date.now() - startedAt, refused });
  };
  interruption.lastWords = () => {
    void end();
    void output.drained();
  };
  // If the process is killed right after, the session still contains everything that was shown.
  output.beforeAnswer = () => session.recorder.flush();
  live.follow((event) => void runner.show(event));
  try {
    await writer.begin?.();
    await live.begin(occasionOf(wishOf(args)), signal);
    const interrupted = live.interrupted && (await goOn(live, writer));
    if (isConversation) {
      const { converse } = await import('./converse.ts');
      await converse(runner, { settings: start.settings, signal }, interrupted ?? options.words);
    } else await runOnce(options, runner, interrupted);
  } catch (error) {
    const { explainRunError } = await import('./run-error.ts');
    summary.fail(explainRunError(error, { attempts: summary.attempts, format, output }));
  }
  try {
    await live.end({ reason: 'exit', hurry: signal, last });
    if (!signal.aborted) await runner.settle();
  } catch (error) {
    output.note(`castor: warning: some processes could not be ended: ${getErrorMessage(error)}`);
  }
  tape?.finish(summary.exitCode);
  for (const path of reports) output.note(`castor: details of the error: ${path}`);
  return summary.exitCode;

  async function last(): Promise<void> {
    await end();
    if (summary.exitCode !== ExitCode.Success) agent.telemetry?.note({ kind: 'exit_failed' });
  }
}

async function openTapeFor(start: Start, { piped }: HeadlessOptions): Promise<OpenedTape | undefined> {
  const { record, replayIn } = start.args;
  if (record === undefined && replayIn === undefined) return undefined;
  const { openTape } = await import('../recording/open-tape.ts');
  return openTape({ start, argv: process.argv.slice(2), stdin: piped });
}

/** Without a prompt a missing key does not matter: the missing prompt is reported. */
async function prepareOrRefuse(options: HeadlessOptions): Promise<Start> {
  try {
    return prepareStart({ ...options, installed: await findInstalledExtensions(options), isAttended: false });
  } catch (error) {
    const isEarly = error instanceof ExitError && error.exitCode === ExitCode.Unauthorized;
    const format = isEarly ? (options.format ?? (error.outputFormat as OutputFormat | undefined)) : undefined;
    if (isEarly && options.args.inputFormat !== 'stream-json') checkInput(options, format ?? 'text');
    if (isEarly) (await import('../generators/advise-provider.ts')).adviseProvider(error, options);
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

async function openLive(
  start: Start,
  reports: string[],
  { args, output, signal, tape }: HeadlessOptions & { tape: OpenedTape | undefined },
  readFormat: () => AnswerFormat | undefined,
): Promise<LiveSession> {
  const answerFormat = readFormat();
  const opened = await openAgent({
    start,
    ...(answerFormat && { answerFormat }),
    wish: wishOf(args),
    tape,
    interactive: args.inputFormat === 'stream-json',
    signal,
    onWarning: (message) => output.note(`castor: warning: ${message}`),
    debugLog: { levels: ['debug', 'log', 'warn', 'error'], write: (line) => output.note(`castor: ${line}`) },
    onReport: (path) => void reports.push(path),
    onSession({ notices }) {
      for (const notice of notices) output.note(`castor: ${notice}`);
    },
    onNothingLeft() {
      throw new ExitError(ExitCode.Input, 'the session has no interrupted prompt; pass a new one with -p.');
    },
  });
  return new LiveSession(opened);
}

/** Resumes the interrupted prompt from where it stopped. */
async function goOn({ session, interrupted = [] }: LiveSession, writer: HeadlessWriter): Promise<PreparedTurn> {
  const text = session.interruptedPrompt?.text;
  if (text !== undefined) await writer.prompt?.(text);
  return { parts: interrupted, ...(text !== undefined && { text }) };
}

async function runOnce(options: HeadlessOptions, runner: PromptRunner, interrupted?: PreparedTurn): Promise<void> {
  const { words, piped, signal } = options;
  const conversation = new Conversation({
    ...runner.ports(signal),
    read: (_given, promptSignal) => runner.read({ words, piped }, promptSignal),
  });
  if (interrupted) conversation.goOn(interrupted);
  else conversation.enqueue({ text: words === '' ? piped : words });
  await conversation.settled();
}

/** The external cause is the reason, whatever the session recorded. */
function blame(summary: RunSummary, { crash, exitCode }: Interruption): void {
  if (crash) {
    const message = `this is a bug in Castor, please report it: ${crash.message}`;
    summary.fail({ type: crash.name, message, code: ExitCode.Failure });
  } else if (exitCode !== undefined) {
    summary.fail({ type: 'FatalCancellationError', message: CANCELLED, code: exitCode });
  }
}

interface WriterOptions {
  output: Output;
  model: string;
  sessionId: string;
  isConversation: boolean;
}

async function openWriter(format: OutputFormat, options: WriterOptions): Promise<HeadlessWriter> {
  const { output, model, sessionId, isConversation } = options;
  if (format === 'text') return new TextWriter(output);
  if (format === 'json') return new (await import('./json-writer.ts')).JsonWriter(output, sessionId);
  const { StreamJsonWriter } = await import('./stream-json-writer.ts');
  return new StreamJsonWriter(output, { sessionId, model, isConversation });
}
