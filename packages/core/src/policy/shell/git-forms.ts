/** Classifies forms of git: those that only read, and those that discard work or history. */

import { readGit } from './git-command.ts';
import type { ShellWord } from './shell-word.ts';

const SAFE_ANY_ARGUMENTS = new Set([
  'status',
  'log',
  'diff',
  'show',
  'rev-parse',
  'ls-files',
  'ls-tree',
  'blame',
  'describe',
  'shortlog',
  'cat-file',
  'rev-list',
  'merge-base',
  'name-rev',
  'show-ref',
  'diff-tree',
  'whatchanged',
]);
const SAFE_EXACT: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-a|-r|-v|-vv|-l|--all|--remotes|--list|--show-current|--verbose|--no-color|--color)$/,
  remote: /^(?:-v|--verbose|show)$/,
  tag: /^(?:-l|--list|-n\d*)$/,
  stash: /^list$/,
  config: /^(?:--list|-l|--get|--local|--global|user\.\w+)$/,
  worktree: /^list$/,
};

/** Reading forms that neither write nor run anything but git. */
export function isSafeGit(words: readonly ShellWord[]): boolean {
  const { subcommand, rest, plainOptions, risks } = readGit(words);
  if (!plainOptions || risks.length > 0) return false;
  if (rest.some(({ kind, value }) => kind === 'dynamic' || /^(?:--out|--ext|--textc|--filt|--batch-c)/.test(value)))
    return false;
  // git accepts any unique prefix of an option, and these two run filters of the repository.
  if (subcommand === 'cat-file' && rest.some(({ value }) => /^--(?:t|f)/.test(value))) return false;
  if (SAFE_ANY_ARGUMENTS.has(subcommand)) return true;
  const pattern = Object.hasOwn(SAFE_EXACT, subcommand) ? SAFE_EXACT[subcommand] : undefined;
  return (
    pattern !== undefined &&
    (rest.length > 0 || subcommand !== 'stash') &&
    rest.every(({ value }) => pattern.test(value))
  );
}

const DESTRUCTIVE: Readonly<Record<string, RegExp>> = {
  clean: /^-[A-Za-z]*f|^--force/,
  reset: /^--(?:hard|merge|keep)/,
  checkout: /^(?:-f|--force|--|\.|-[A-Za-z]*f[A-Za-z]*)$/,
  restore: /^/,
  switch: /^(?:-f|--force|--discard)/,
  push: /^(?:-[A-Za-z]*[fd]|--force|--delete|--mirror|--prune|\+)/,
  branch: /^(?:-[A-Za-z]*[DdMf]|--delete|--force)/,
  tag: /^(?:-[A-Za-z]*[df]|--delete|--force)/,
  stash: /^(?:drop|clear|pop)$/,
  reflog: /^(?:expire|delete)$/,
  gc: /^--prune/,
  rm: /^/,
  'update-ref': /^/,
  'filter-repo': /^/,
};

/** Whether some form of the subcommand discards work, or changes what others share. */
export function hasDestructiveForms(subcommand: string): boolean {
  return Object.hasOwn(DESTRUCTIVE, subcommand);
}

/** Forms that discard uncommitted work or history. */
export function isDestructiveGit(words: readonly ShellWord[]): boolean {
  const { subcommand, rest } = readGit(words);
  const pattern = Object.hasOwn(DESTRUCTIVE, subcommand) ? DESTRUCTIVE[subcommand] : undefined;
  return pattern !== undefined && rest.some(({ value }) => pattern.test(value));
}
