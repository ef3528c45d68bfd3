/**
 * Names the commands of a line for the memory of a session: one of them was seen to change
 * a file of environment variables, and is asked about from then on (docs/decisions/0041).
 */

import { SESSION_RULE_SOURCE } from '../rule.ts';
import type { PolicyRule } from '../rule.ts';
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

/** Adds the commands of a line that may have changed a file; returns the rules without answers of "always" that cover them. */
export async function noteWriters(
  line: string,
  writers: Set<string>,
  rules: readonly PolicyRule[],
): Promise<PolicyRule[]> {
  await loadShellParser();
  const keys = readShellLine(line)
    .leaves.filter((leaf) => !isNothing(leaf) && !leaf.transparent)
    .filter((leaf) => !isKnownSafe(leaf.command, { trustedFolder: true }))
    .map(writerKey);
  for (const key of keys) writers.add(key);
  return rules.filter(
    ({ source, commandPrefix, commandRegex }) =>
      source.name !== SESSION_RULE_SOURCE ||
      !keys.some((key) => commandPrefix === key || commandRegex?.test(key) === true),
  );
}
