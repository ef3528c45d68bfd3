/** A conversation over stdin of this process; loaded only when one is asked for. */

import { assertYolo } from '../start/approval.ts';
import { ExitError } from '../exit-codes.ts';
import type { Start } from '../start/start.ts';
import { Conversation } from './conversation.ts';
import { readLines } from './input-lines.ts';
import type { PromptRunner } from './prompt-runner.ts';
import type { HeadlessOptions } from './run.ts';
import { StreamJsonWriter } from './stream-json-writer.ts';

export function openConversation(options: HeadlessOptions, { settings }: Start, runner: PromptRunner): Conversation {
  const { agent, writer } = runner;
  const onProblem = (message: string) => {
    if (writer instanceof StreamJsonWriter) void writer.problem('error', message);
  };
  return new Conversation(
    {
      session: agent.session,
      lines: readLines(process.stdin),
      signal: options.signal,
      onProblem,
      async runPrompt(words, signal, onEvent) {
        try {
          await runner.run({ words, piped: '' }, signal, onEvent);
        } catch (error) {
          // One prompt that cannot be meant is no reason to end the conversation.
          if (!(error instanceof ExitError)) throw error;
          onProblem(error.message);
          await runner.refuse(error, signal, onEvent);
        }
      },
      setApprovalMode(mode) {
        if (mode === 'yolo') assertYolo(settings);
        if (mode === 'plan' && !settings.general.plan.enabled) throw new Error('plan mode is disabled.');
        agent.policy.mode = mode;
      },
    },
    options.words,
  );
}
