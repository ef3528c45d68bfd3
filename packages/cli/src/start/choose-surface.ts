/**
 * Chooses the surface of a start from flags, the environment and the kinds of stdin and stdout. Pure; the rules are
 * Gemini CLI's, so that scripts keep working.
 */

import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError, UsageError } from '../exit-codes.ts';

export interface SurfaceQuestion {
  args: CliArguments;
  environment: Readonly<Record<string, string | undefined>>;
  isInputTerminal: boolean;
  isOutputTerminal: boolean;
}

export type Surface =
  | { kind: 'headless'; prompt: string }
  /** `prompt` is sent first, if there is one; `notice` is shown before it. */
  | { kind: 'interactive'; prompt: string; notice?: string }
  | { kind: 'acp' };

const NOTICE = 'A prompt without -p opens the terminal UI. For a headless answer: castor -p "…"';

/** Throws an ExitError for a conversation without a terminal to type into. */
export function chooseSurface(question: SurfaceQuestion): Surface {
  const { prompt, promptInteractive, query = '', acp, experimentalAcp, inputFormat } = question.args;
  if (promptInteractive !== undefined) {
    if (!question.isInputTerminal) {
      throw new ExitError(
        ExitCode.Input,
        'Error: The --prompt-interactive flag cannot be used when input is piped from stdin.',
      );
    }
    if (query !== '') {
      throw new UsageError('give the first words either with --prompt-interactive (-i) or after the flags, not both.');
    }
    return { kind: 'interactive', prompt: promptInteractive };
  }
  if (acp || experimentalAcp) return { kind: 'acp' };
  // A program that writes to stdin needs no screen.
  if (inputFormat === 'stream-json' || isHeadless(question)) return { kind: 'headless', prompt: prompt || query };
  return { kind: 'interactive', prompt: query, ...(query !== '' && { notice: NOTICE }) };
}

function isHeadless({ args, environment, isInputTerminal, isOutputTerminal }: SurfaceQuestion): boolean {
  const isAutomated = environment['CI'] === 'true' || environment['GITHUB_ACTIONS'] === 'true';
  const isTested = environment['GEMINI_CLI_INTEGRATION_TEST'] === 'true';
  return (isAutomated && !isTested) || !isInputTerminal || !isOutputTerminal || args.prompt !== undefined;
}
