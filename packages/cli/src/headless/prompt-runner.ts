/**
 * PromptRunner: connects a conversation without a screen to its writer and its summary. It reads prompts with the
 * services available here, and takes every event.
 */

import { isatty } from 'node:tty';
import { GeminiEventType } from '@castor/core';
import type { AgentEvent, WorkspaceAgent } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { hasWorktrees, runMaintenance } from '../start/maintenance.ts';
import type { Start } from '../start/start.ts';
import type { ConversationPorts, PreparedAnswer, PreparedTurn } from '../surface/conversation-ports.ts';
import { createReadContext } from '../surface/read-context.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { LiveSession } from '../surface/session-lifecycle.ts';
import type { RunError, RunSummary } from './run-summary.ts';
import type { HeadlessWriter } from './writer.ts';

export interface PromptRunnerOptions {
  start: Start;
  live: LiveSession;
  writer: HeadlessWriter;
  summary: RunSummary;
  output: Output;
  startedAt: number;
}

export interface Words {
  words: string;
  /** Data that came with the prompt; sent before it, and parsed only where there is no prompt. */
  piped: string;
}

export class PromptRunner {
  readonly agent: WorkspaceAgent;
  readonly writer: HeadlessWriter;
  readonly summary: RunSummary;
  private readonly options: PromptRunnerOptions;
  private cleaning: Promise<void> | undefined;
  /** The result of a prompt that the program answers itself, reported when the prompt has ended. */
  private failure: RunError | undefined;

  constructor(options: PromptRunnerOptions) {
    this.options = options;
    this.agent = options.live.agent;
    this.writer = options.writer;
    this.summary = options.summary;
  }

  /** An error it throws ends the conversation. */
  ports(signal: AbortSignal): Pick<ConversationPorts, 'live' | 'show' | 'signal' | 'onError'> {
    return {
      live: async () => this.options.live,
      show: (event) => this.show(event),
      signal,
      onError(error) {
        throw error;
      },
    };
  }

  /** Throws an ExitError for an invalid prompt. */
  async read({ words, piped }: Words, signal: AbortSignal): Promise<PreparedTurn | PreparedAnswer> {
    const text = [piped, words].filter((each) => each !== '').join('\n\n');
    await this.writer.prompt?.(this.options.live.agent.conceal(text));
    const read = await readPrompt(words === '' ? piped : words, {
      // A script may pass on text of others; a user at a terminal typed it.
      ...createReadContext({ ...this.options, signal, isAttended: isatty(0) }),
      piped: words === '' ? '' : piped,
    });
    switch (read.kind) {
      case 'prompt':
        for (const note of read.notes) this.options.output.note(`castor: ${note}`);
        return { parts: read.parts, text: read.displayText };
      case 'answered':
        if (read.exitCode === 0) return { answer: read.text };
        // The model was not involved, so it is not an error of the service.
        return this.refuse(
          { type: 'CommandFailedError', message: 'The command failed.', code: ExitCode.Failure },
          signal,
          read.text,
        );
      case 'error':
        throw new ExitError(ExitCode.Input, read.message);
      case 'command':
        throw new Error(`Without a screen ${read.result.type} cannot be carried out.`);
    }
  }

  /** The end of a prompt that was never sent, for consumers that wait for one. */
  refuse(failure: RunError, signal: AbortSignal, answer = ''): PreparedAnswer {
    if (signal.aborted) return { answer, ending: { outcome: 'cancelled' } };
    this.failure = failure;
    return { answer, ending: { outcome: 'failed', error: { message: failure.message } } };
  }

  /** Handles an event, in a prompt or between two. */
  show(event: AgentEvent): Promise<void> | undefined {
    // Starts once the answer has begun: neither the request nor the end of the run must wait for it.
    if (!this.cleaning && event.type === GeminiEventType.Content && this.agent.session.isBusy)
      this.cleaning = this.cleanUp();
    // The result of the call that runs a child reports the child's work; only its questions need an answer.
    if (event.parentCallId !== undefined)
      return isQuestion(event) ? this.writer.write(event) : this.writer.writeChild?.(event);
    this.summary.add(event);
    if (event.type === 'prompt_ended' && this.failure) {
      this.summary.fail(this.failure);
      this.failure = undefined;
    }
    return this.writer.write(event);
  }

  /** The end of a run waits for nothing but the worktrees of agents that were killed: short runs may be all there are. */
  async settle(): Promise<void> {
    if (this.cleaning && hasWorktrees(this.options.start)) await this.cleaning;
  }

  private async cleanUp(): Promise<void> {
    const { start, live, output } = this.options;
    const problems = await runMaintenance(start, live.session.recorder.path);
    for (const problem of problems) output.note(`castor: warning: ${problem}`);
  }
}

function isQuestion({ type }: AgentEvent): boolean {
  return type === GeminiEventType.ToolCallConfirmation || type === GeminiEventType.FallbackRequested;
}
