/** `--help` of every `castor x`: whether its words ask for it, and the answer of those that have nothing else to do then. */

import type { Output } from '../output.ts';

export function isHelpAsked(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
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
