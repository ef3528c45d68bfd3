/**
 * Finds a file that a command line would delete or overwrite though undo does not keep it: because it is too large, or
 * undo is off. Whole folders are no matter of this: the policy asks about each. It reads the line and the disk.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadShellParser } from '../policy/shell/shell-command.ts';
import { directoriesOf } from '../policy/shell/shell-effects.ts';
import { readShellLine } from '../policy/shell/shell-leaves.ts';
import type { Leaf } from '../policy/shell/shell-leaves.ts';
import { baseName } from '../policy/shell/shell-line.ts';
import type { UndoCoverage } from '../undo/undo-limits.ts';
import { NOT_COVERED } from '../undo/undo-sentences.ts';
import { DEFAULT_LIMITS } from '../undo/walk-rules.ts';
import { isInside } from '../util/is-inside.ts';

export interface DeletionPlace {
  /** The folder in which the line starts. */
  directory: string;
  home: string;
  /** The workspace and its additional folders: nothing else can be deleted inside the sandbox. */
  roots: readonly string[];
  coverage: UndoCoverage;
}

export interface UncoveredDeletion {
  path: string;
  because: string;
}

/** The first one, or undefined. */
export async function findUncoveredDeletion(
  command: string,
  { directory, home, roots, coverage }: DeletionPlace,
): Promise<UncoveredDeletion | undefined> {
  await loadShellParser();
  const { leaves } = readShellLine(command, new Map());
  const words = leaves.flatMap((leaf) => lostBy(leaf));
  if (words.length === 0) return undefined;
  const { directories } = directoriesOf(leaves, directory, home);
  for (const path of new Set(
    words.flatMap((word) => directories.flatMap((folder) => filesOf(resolve(folder, word)))),
  )) {
    if (!roots.some((root) => isInside(path, root))) continue;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    if (coverage === 'off' || coverage === 'edits') return { path, because: 'undo keeps only what edits change' };
    if (found.size > DEFAULT_LIMITS.fileBytes) return { path, because: NOT_COVERED.large };
  }
  return undefined;
}

/** Each operand of these is a file whose content is lost. */
const DELETERS = new Set(['rm', 'grm', 'unlink', 'shred', 'srm', 'wipe', 'truncate', 'tee', 'sponge']);

function lostBy({ command: { words, redirections } }: Leaf): string[] {
  const written = redirections
    .filter(({ writes, operator }) => writes && !operator.endsWith('>>'))
    .map(({ target }) => target.value);
  const [head, ...operands] = words;
  return head && DELETERS.has(baseName(head)) ? [...written, ...operands.map(({ value }) => value)] : written;
}

/** A pattern stands for every file of the folder that it searches. */
function filesOf(path: string): string[] {
  const at = path.search(/[*?[{$]/);
  if (at < 0) return [path];
  const folder = dirname(`${path.slice(0, at)}x`);
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
