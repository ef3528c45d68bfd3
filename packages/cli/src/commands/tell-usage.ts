/** `--help` of every `castor x`: whether its words ask for it, and the answer of those that have nothing else to do then. */

import { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';

export function isHelpAsked(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
}

/** Of a command with subcommands: its usage is also the answer to no word at all, which is a mistake. */
export async function tellSubcommands(
  [name = '', ...words]: readonly string[],
  usage: string,
  output: Pick<Output, 'answer'>,
): Promise<ExitCode | undefined> {
  if (name !== '' && !isHelpAsked([name, ...words])) return undefined;
  await output.answer(usage);
  return name === '' ? ExitCode.Failure : ExitCode.Success;
}

/** True when it was printed, and the command has nothing else to do. */
export async function tellUsage(
  argv: readonly string[],
  usage: string,
  output: Pick<Output, 'answer'>,
): Promise<boolean> {
  if (!isHelpAsked(argv)) return false;
  await output.answer(usage);
  return true;
}
