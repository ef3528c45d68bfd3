/**
 * Finds calls of git in the scripts of an undecided folder that Castor's guard does not
 * reach, as unguarded-git.ts does for a line (docs/decisions/0009). Code in other languages
 * is not read.
 */

import { projectScripts, runsProjectScript } from './project-scripts.ts';
import { directoriesOf } from './shell-effects.ts';
import { readShellLine } from './shell-leaves.ts';
import type { Leaf } from './shell-leaves.ts';
import { unguardedGit } from './unguarded-git.ts';

export interface ScriptPlace {
  /** Folders the command may be in. */
  directories: readonly string[];
  home: string;
}

const MAX_DEPTH = 4;
/** Every way around the guard uses one of these, or is in another script. */
const AROUND =
  /\/git\b|\benv\b|\bcommand\b|PATH=|\bsudo\b|\bunset\b|GIT_|\bsh\b|\.\/|\b(?:npm|yarn|pnpm|bun|make|just)\b/;

/** Why the guard does not apply to a git that a script of the command runs; undefined when it does. */
export function unguardedScript(leaf: Leaf, place: ScriptPlace, depth = 0): string | undefined {
  if (depth > MAX_DEPTH || !runsProjectScript(leaf.command)) return undefined;
  for (const { name, text, directory } of projectScripts(leaf.command, place.directories)) {
    if (!/\bgit\b|\.\/|\bsh\b|\bnpm\b|\bmake\b/.test(text) || !AROUND.test(text)) continue;
    const { leaves } = readShellLine(text, new Map([['HOME', place.home]]));
    const { directories, certain } = directoriesOf(leaves, directory, place.home);
    const isElsewhere = !certain || directories.length > 1 || place.directories.length > 1;
    for (const inner of leaves) {
      const reason =
        unguardedGit(inner, leaves, isElsewhere) ??
        unguardedScript(inner, { ...place, directories: directories.slice(0, MAX_FOLDERS) }, depth + 1);
      if (reason !== undefined) return reason.startsWith('in ') ? reason : `in ${name}, ${reason}`;
    }
  }
  return undefined;
}

const MAX_FOLDERS = 4;
