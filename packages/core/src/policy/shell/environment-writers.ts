/**
 * Names the commands of a line for the memory of a session: one of them was seen to change
 * a file of environment variables, and is asked about from then on (docs/decisions/0041).
 */

import { isNothing } from './leaf-traits.ts';
import { isKnownSafe } from './known-commands.ts';
import { prefixOf } from './remembered-prefix.ts';
import { loadShellParser } from './shell-command.ts';
import { readShellLine } from './shell-leaves.ts';
import type { Leaf } from './shell-leaves.ts';

/** What an "always" for the command covers, in words. */
export function writerKey({ command }: Leaf): string {
  return prefixOf(command) ?? command.words.map(({ value }) => value).join(' ');
}

/** The commands of a line that may have changed a file. */
export async function writerKeys(line: string): Promise<string[]> {
  await loadShellParser();
  const { leaves } = readShellLine(line);
  return leaves
    .filter((leaf) => !isNothing(leaf) && !leaf.transparent && !isKnownSafe(leaf.command, { trustedFolder: true }))
    .map(writerKey);
}
