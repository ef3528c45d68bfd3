/**
 * One prompt without a screen: the model's events to a writer, and an exit code.
 * It owns the order of things and no format, no signal and no exit.
 */

import { GeminiChat, OptimizedTurn, resolveModel, UnauthorizedError } from '@castor/core';
import type { ModelChoice } from '../credentials.ts';
import { ExitCode } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import type { Output } from '../output.ts';
import { TextWriter } from './text-writer.ts';

export interface HeadlessOptions {
  prompt: string;
  choice: ModelChoice;
  output: Output;
  /** Ends the run at once; what the exit code then is, is the caller's to know. */
  signal: AbortSignal;
  cwd: string;
}

/** Throws an ExitError when there is nothing to run with. */
export async function runHeadless({ prompt, choice, output, signal, cwd }: HeadlessOptions): Promise<ExitCode> {
  const generator = await openGenerator(choice, cwd);
  const chat = new GeminiChat({ generator, model: resolveModel(choice.model) });
  const turn = new OptimizedTurn(chat, createPromptId());
  const writer = new TextWriter(output);
  try {
    for await (const event of turn.run([{ text: prompt }], signal)) {
      const written = writer.write(event);
      if (written) await written;
    }
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    output.note(`castor: the credentials were refused: ${error.message}`);
    return ExitCode.Unauthorized;
  }
  if (writer.outcome !== undefined || signal.aborted) return writer.outcome ?? ExitCode.Failure;
  output.note('castor: the model ended without an answer.');
  return ExitCode.Failure;
}

/** Unique enough to tell prompts apart in a log; the session's id takes its place once there are sessions. */
function createPromptId(): string {
  return `${Date.now().toString(36)}-${process.pid.toString(36)}`;
}
