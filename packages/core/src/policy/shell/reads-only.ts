/** Tells whether a command line is known to change nothing: every command in it only reads and prints, and none writes a file. */

import { isNothing } from './leaf-traits.ts';
import { isKnownSafe } from './known-commands.ts';
import { loadShellParser } from './shell-command.ts';
import { readShellLine } from './shell-leaves.ts';

const NULL_DEVICE = '/dev/null';

/** False in every doubt. */
export async function readsOnly(command: string): Promise<boolean> {
  await loadShellParser();
  const { leaves, problems } = readShellLine(command, new Map());
  return (
    problems.length === 0 &&
    leaves.every(
      (leaf) =>
        isNothing(leaf) ||
        (leaf.risks.length === 0 &&
          leaf.command.redirections.every(({ writes, target }) => !writes || target.value === NULL_DEVICE) &&
          (leaf.transparent || isKnownSafe(leaf.command, { trustedFolder: true }))),
    )
  );
}
