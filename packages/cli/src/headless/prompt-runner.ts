/**
 * PromptRunner: one prompt after another through the session, every event to the
 * writer and into the summary. What a person typed is made into what the model is sent
 * here, and what needs no model is answered without one.
 */

import { GeminiEventType } from '@castor/core';
import type { AgentEvent, OpenedSession, Part, SessionEvent, WorkspaceAgent } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { preparePrompt } from '../prompt/prompt-input.ts';
import type { PreparedPrompt } from '../prompt/prompt-input.ts';
import type { Start } from '../start/start.ts';
import { trustedFoldersFile } from '../start/trust.ts';
import type { RunSummary } from './run-summary.ts';
import type { HeadlessWriter } from './writer.ts';

declare const CASTOR_VERSION: string;

export interface PromptRunnerOptions {
  start: Start;
  session: OpenedSession;
  agent: WorkspaceAgent;
  writer: HeadlessWriter;
  summary: RunSummary;
  output: Output;
  startedAt: number;
}

export interface Words {
  words: string;
  /** Data that came with them; sent before them, and looked into only where there are no words. */
  piped: string;
}

type OnEvent = (event: AgentEvent) => void;
type Answered = Extract<PreparedPrompt, { kind: 'answered' }>;

const CANCELLED = { outcome: 'cancelled' } as const;

export class PromptRunner {
  readonly agent: WorkspaceAgent;
  readonly writer: HeadlessWriter;
  readonly summary: RunSummary;
  /** Stands before the next prompt, and only that one. */
  preface = '';
  private readonly options: PromptRunnerOptions;
  private hasCleanedUp = false;

  constructor(options: PromptRunnerOptions) {
    this.options = options;
    this.agent = options.agent;
    this.writer = options.writer;
    this.summary = options.summary;
  }

  /** Throws an ExitError for words that cannot be meant. */
  async run({ words, piped }: Words, signal: AbortSignal, onEvent?: OnEvent): Promise<void> {
    const { output } = this.options;
    await this.writer.prompt?.([piped, words].filter((text) => text !== '').join('\n\n'));
    const prepared = await this.prepare(words === '' ? { words: piped, piped: '' } : { words, piped }, signal);
    switch (prepared.kind) {
      case 'error':
        throw new ExitError(ExitCode.Input, prepared.message);
      case 'answered':
        return this.answer(prepared, signal, onEvent);
      case 'prompt':
        for (const note of prepared.notes) output.note(`castor: ${note}`);
        return this.send(prepared.parts, prepared.displayText, signal, onEvent);
    }
  }

  /** Ends a prompt that was never sent, for those who wait for its end. */
  async refuse({ message, exitCode }: ExitError, signal: AbortSignal, onEvent?: OnEvent): Promise<void> {
    const ending = signal.aborted ? CANCELLED : { outcome: 'failed' as const, error: { message } };
    await this.takeAll(this.agent.session.answer('', ending), onEvent);
    if (!signal.aborted) this.summary.fail({ type: 'FatalInputError', message, code: exitCode });
  }

  /** The prompt that was interrupted, from where it got to. */
  async goOn(parts: Part[], signal: AbortSignal): Promise<void> {
    const text = this.options.session.interruptedPrompt?.text;
    if (text !== undefined) await this.writer.prompt?.(text);
    await this.send(parts, text, signal);
  }

  private prepare({ words, piped }: Words, signal: AbortSignal) {
    const { start, agent, startedAt } = this.options;
    return preparePrompt(words, {
      agent,
      piped,
      signal,
      startedAt,
      home: start.home,
      version: CASTOR_VERSION,
      trustedFoldersFile: trustedFoldersFile(start),
      trustedFolder: start.trustedFolder,
      // A script may pass on what others wrote; a person at a terminal wrote it themselves.
      isAttended: process.stdin.isTTY === true,
      services: {
        async describeHooks() {
          const { createHookServices } = await import('../slash/hook-services.ts');
          return createHookServices(start, agent).describeHooks();
        },
        async openSessions() {
          const { openSessionService } = await import('../slash/session-service.ts');
          return openSessionService(start, agent);
        },
      },
    });
  }

  private async send(parts: Part[], text: string | undefined, signal: AbortSignal, onEvent?: OnEvent): Promise<void> {
    const request = withPreface(this.preface, parts);
    this.preface = '';
    const prompt = this.agent.session.prompt(request, signal, text === undefined ? {} : { text });
    for await (const event of prompt) {
      // Once the answer has begun: the request must not wait for it.
      if (!this.hasCleanedUp && event.type === GeminiEventType.Content) void this.cleanUp();
      const written = this.take(event, onEvent);
      if (written) await written;
    }
  }

  /** What was found out without a model, told as a model's answer is. */
  private async answer({ text, exitCode }: Answered, signal: AbortSignal, onEvent?: OnEvent): Promise<void> {
    const isSuccess = exitCode === 0;
    const message = 'The command failed.';
    const failed = signal.aborted ? CANCELLED : { outcome: 'failed' as const, error: { message } };
    await this.takeAll(this.agent.session.answer(text, isSuccess ? undefined : failed), onEvent);
    if (isSuccess || signal.aborted) return;
    // No model had a part in it, so that it is no error of the service.
    this.summary.fail({ type: 'CommandFailedError', message, code: ExitCode.Failure });
  }

  /** Something that happened between two prompts. */
  show(event: SessionEvent): Promise<void> | undefined {
    return this.take(event);
  }

  private async takeAll(events: AsyncIterable<AgentEvent>, onEvent?: OnEvent): Promise<void> {
    for await (const event of events) await this.take(event, onEvent);
  }

  private take(event: AgentEvent, onEvent?: OnEvent): Promise<void> | undefined {
    // A child's work is told by the result of the call that runs it.
    if (event.parentCallId !== undefined) return undefined;
    this.summary.add(event);
    onEvent?.(event);
    return this.writer.write(event);
  }

  private async cleanUp(): Promise<void> {
    this.hasCleanedUp = true;
    const { start, session, output } = this.options;
    const { runMaintenance } = await import('../start/maintenance.ts');
    const problems = await runMaintenance(start, session.recorder.path);
    for (const problem of problems) output.note(`castor: warning: ${problem}`);
  }
}

function withPreface(preface: string, parts: Part[]): Part[] {
  if (preface === '') return parts;
  const [first, ...rest] = parts;
  return first?.text === undefined
    ? [{ text: preface.trimEnd() }, ...parts]
    : [{ ...first, text: `${preface}${first.text}` }, ...rest];
}
