/**
 * Finds the calls of git that Castor's guard of an undecided folder does not reach. The
 * guard is a wrapper that PATH finds first, and variables for the repository in which a
 * command starts (docs/decisions/0009): a git that avoids the first in another repository,
 * or loses both, would run what that repository configures.
 */

import { readGit } from './git-command.ts';
import { isShell } from './shell-invocation.ts';
import type { Leaf } from './shell-leaves.ts';
import { baseName } from './shell-line.ts';

/** Why the guard does not apply; undefined when it does. `isElsewhere`: the line may leave the folder it starts in. */
export function unguardedGit(leaf: Leaf, leaves: readonly Leaf[], isElsewhere: boolean): string | undefined {
  const [head] = leaf.command.words;
  if (head === undefined || !/^git(?:-[\w-]+)?$/.test(baseName(head))) return undefined;
  const outer = ancestorsOf(leaf);
  const isCleared = outer.some(clearsVariables) || leaves.some(unsetsVariables);
  const isOther =
    head.value.includes('/') ||
    outer.some((wrapper) => hidesWrapper(wrapper) || losesPath(wrapper)) ||
    [leaf, ...leaves].some(setsPath);
  if (!isOther || !(isCleared || isElsewhere || namesRepository(leaf))) return undefined;
  return 'git would run what a repository configures, in a folder that is not trusted: write plain git, or trust the folder';
}

function ancestorsOf(leaf: Leaf): Leaf[] {
  const found: Leaf[] = [];
  for (let outer = leaf.parent; outer !== undefined; outer = outer.parent) found.push(outer);
  return found;
}

function valuesOf({ command: { words } }: Leaf): readonly string[] {
  return words.map(({ value }) => value);
}

function nameOf({ command: { words } }: Leaf): string {
  return words[0] === undefined ? '' : baseName(words[0]);
}

/** A login or interactive shell sets PATH by its start files; `command -p` searches the system's folders. */
function hidesWrapper(leaf: Leaf): boolean {
  const name = nameOf(leaf);
  const options = valuesOf(leaf).slice(1);
  if (isShell(name)) return options.some((value) => /^(?:-[A-Za-z]*[li][A-Za-z]*|--login)$/.test(value));
  return name === 'command' && options.some((value) => /^-[vV]*p/.test(value));
}

const OTHER_USERS = /^(?:sudo|doas|su|pkexec|runuser|gosu|su-exec|chroot|machinectl|ssh)$/;

function losesPath(leaf: Leaf): boolean {
  return (
    OTHER_USERS.test(nameOf(leaf)) || (isEmptied(leaf) && !valuesOf(leaf).some((value) => value.startsWith('PATH=')))
  );
}

function clearsVariables(leaf: Leaf): boolean {
  const removes = nameOf(leaf) === 'env' && valuesOf(leaf).some((value) => /^(?:-u|--unset)/.test(value));
  return OTHER_USERS.test(nameOf(leaf)) || isEmptied(leaf) || removes;
}

function isEmptied(leaf: Leaf): boolean {
  const options = valuesOf(leaf).slice(1);
  if (nameOf(leaf) === 'exec') return options.some((value) => /^-[al]*c/.test(value));
  return (
    nameOf(leaf) === 'env' && options.some((value) => /^(?:-|-[A-Za-z0]*i[A-Za-z0]*|--ignore-environment)$/.test(value))
  );
}

/** `unset GIT_CONFIG_COUNT`, `GIT_CONFIG_COUNT=0 git diff`. */
function unsetsVariables(leaf: Leaf): boolean {
  if (leaf.command.assignments.some(({ name }) => name.startsWith('GIT_'))) return true;
  return (
    /^(?:unset|export|declare|typeset)$/.test(nameOf(leaf)) && valuesOf(leaf).some((value) => /GIT_|\$/.test(value))
  );
}

/** Additions after the present value keep the wrapper first. */
const KEEPS_PATH = /^"?\$(?:PATH|\{PATH\})(?![\w])/;

function setsPath(leaf: Leaf): boolean {
  const { assignments, words } = leaf.command;
  const exported = nameOf(leaf) === 'git' ? [] : words.slice(1).filter(({ value }) => value.startsWith('PATH='));
  const values = [
    ...assignments.filter(({ name }) => name === 'PATH').map(({ value }) => value.value),
    ...exported.map(({ value }) => value.slice('PATH='.length)),
  ];
  return values.some((value) => !KEEPS_PATH.test(value));
}

function namesRepository({ command: { words } }: Leaf): boolean {
  return readGit(words).risks.some(({ word }) => /^--(?:git-dir|work-tree|exec-path)/.test(word));
}
