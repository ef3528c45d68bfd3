/** `--help` of a command without subcommands: prints its usage where a word asks for it. */

import type { Output } from '../output.ts';

/** True when it was printed, and the command has nothing else to do. */
export async function tellUsage(
  argv: readonly string[],
  usage: string,
  output: Pick<Output, 'answer'>,
): Promise<boolean> {
  if (!argv.some((word) => word === '--help' || word === '-h')) return false;
  await output.answer(usage);
  return true;
}
