/**
 * Recognises commands whose output is names that no file content influences: files of this
 * folder, revisions, programs, dates. Such output passes only names of the project to
 * another command, none of them private by its name.
 */

import { isPrivate, mayFindPrivate } from './private-paths.ts';
import type { ShellWord } from './shell-word.ts';

/** Whether the command can print only such names. */
export function isBoundedList(words: readonly ShellWord[]): boolean {
  const [head, ...rest] = words;
  if (head?.kind !== 'literal' || !Object.hasOwn(LISTS, head.value)) return false;
  if (rest.some((word) => !isKnownName(word) || isPrivate(word))) return false;
  return LISTS[head.value]?.(rest.map(({ value }) => value)) === true;
}

/** Prints paths from the root of the disk. */
const PRINTS_PLACES = new Set(['which', 'type', 'command', 'pwd', 'dirname', 'npm']);

/** Whether the command prints names below this folder, or new ones: removing them removes nothing else. */
export function listsBelow(words: readonly ShellWord[]): boolean {
  const [head, ...rest] = words;
  if (head?.kind !== 'literal' || rest.some(({ open }) => open === true)) return false;
  const values = rest.map(({ value }) => value);
  if (head.value === 'git') {
    if (values[0] === 'rev-parse') return values.length === 2 && !/^--(?:show|git|abs)/.test(values[1] ?? '');
    if (values[0] === 'ls-files') return values.every(isHere);
    return (
      /^(?:describe|branch|diff|show|log|rev-list|merge-base|remote)$/.test(values[0] ?? '') && isBoundedList(words)
    );
  }
  if (head.value === 'find') {
    const first = values.findIndex((word) => /^[-(!]/.test(word));
    const isPlain = !values.some((word) => /^-(?:printf|exec|ok|files0)/.test(word));
    return isPlain && values.slice(0, first < 0 ? undefined : first).every(isHere);
  }
  return !PRINTS_PLACES.has(head.value) && isBoundedList(words);
}

/** An argument that is itself the output of such a command counts too. */
function isKnownName({ kind, output }: ShellWord): boolean {
  return kind !== 'dynamic' || output === 'names' || output === 'number';
}

type Rest = readonly string[];

const LISTS: Readonly<Record<string, (rest: Rest) => boolean>> = {
  git: listsWithGit,
  find: findsByName,
  fd: (rest) => rest.every((word) => isHere(word) && !/^-(?:[A-Za-z]*[HuxX]|-hidden|-unrestricted|-exec)/.test(word)),
  ls: (rest) => rest.every((word) => isHere(word) && !/^-[A-Za-z]*[aAfR]|^--(?:all|almost)/.test(word)),
  grep: (rest) => rest.some((word) => /^-[A-Za-z]*l|^--files-with/.test(word)) && rest.every(isHere),
  rg: (rest) => rest.some((word) => /^(?:-[A-Za-z]*l|--files.*)$/.test(word)) && rest.every(isHere),
  which: () => true,
  type: () => true,
  command: ([first]) => first === '-v',
  mktemp: () => true,
  pwd: () => true,
  dirname: () => true,
  basename: () => true,
  hostname: (rest) => rest.length === 0,
  whoami: () => true,
  uname: () => true,
  arch: () => true,
  tty: () => true,
  date: (rest) => !rest.some((word) => /^-[A-Za-z]*[fr]|^--(?:f|r)/.test(word)),
  npm: ([first, second]) => /^(?:root|prefix|bin)$/.test(first ?? '') && (second === undefined || second === '-g'),
};

/** Whether the word names the line's folder or a path below it, as far as the word shows. */
function isHere(word: string): boolean {
  return !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word);
}

const GIT_NAMES: Readonly<Record<string, RegExp>> = {
  'ls-files': /^(?!-[A-Za-z]*[os]|--(?:others|ignored|stage|debug|format))/,
  'rev-parse': /^/,
  'merge-base': /^/,
  describe: /^/,
  branch: /^--show-current$/,
  'symbolic-ref': /^/,
  remote: /^$/,
};
const FORMATS = /^--(?:pretty=)?format=(?:%[hHt]|\s)+$/;

function listsWithGit([subcommand = '', ...rest]: Rest): boolean {
  if (Object.hasOwn(GIT_NAMES, subcommand)) {
    const pattern = GIT_NAMES[subcommand];
    return (subcommand !== 'branch' || rest.length > 0) && rest.every((word) => pattern?.test(word) === true);
  }
  if (/^(?:diff|show|log|diff-tree|stash)$/.test(subcommand))
    return rest.includes('--name-only')
      ? rest.every((word) => !/^-p|^--patch/.test(word))
      : rest.some((word) => FORMATS.test(word));
  if (subcommand === 'rev-list') return rest.every((word) => !/^--(?:format|pretty|header)/.test(word));
  return subcommand === 'grep' && rest.some((word) => /^-[A-Za-z]*l|^--name-only|^--files-with/.test(word));
}

/** Finds files by a name or an extension: a pattern for any name may match a private one. */
function findsByName(rest: Rest): boolean {
  if (rest.some((word) => /^-(?:printf|fprint|fls|ls|exec|ok|files0|delete)/.test(word))) return false;
  const first = rest.findIndex((word) => /^[-(!]/.test(word));
  if (!rest.slice(0, first < 0 ? undefined : first).every(isHere)) return false;
  if (rest.some((word) => /^(?:-o|-or|,|!|-not|-regex|-iregex)$/.test(word))) return false;
  return rest.some((word, index) => /^-i?name$/.test(rest[index - 1] ?? '') && isOpenName(word));
}

function isOpenName(pattern: string): boolean {
  return !/[*?[]/.test(pattern) || (/\.\w+$|^\w[\w-]{2,}/.test(pattern) && !mayFindPrivate(pattern));
}
