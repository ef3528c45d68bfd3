/**
 * Finds the words that name what a command removes, overwrites or changes as a whole tree,
 * also when find, xargs or another program passes them on. It decides nothing.
 */

import { runsElsewhere, takesData } from './command-runners.ts';
import { readGit } from './git-command.ts';
import { hasOption } from './known-commands.ts';
import { baseName, mayBecomeSeveral } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import type { Leaf } from './shell-leaves.ts';

/** A word that names a tree, and the command that selects from it. */
export interface DeletedWord {
  leaf: Leaf;
  target: ShellWord;
}

/** What each command of a line removes. */
export function deletedBy(leaf: Leaf, leaves: readonly Leaf[]): DeletedWord[] {
  const own = deletedWords(leaf).map((target) => ({ leaf, target }));
  return [
    ...own,
    ...foundWords(leaf),
    ...fdRoots(leaf),
    ...handedWords(leaf, leaves).map((target) => ({ leaf, target })),
  ];
}

export function nameOf({ command: { words } }: Leaf): string {
  return words[0] === undefined ? '' : baseName(words[0]).replace(/^g(?=rm$)/, '');
}

/** Why the options of a command that removes are unknown; undefined when they are known. */
export function unknownOptions(leaf: Leaf): ShellWord | undefined {
  if (!/^(?:rm|chmod|chown|shred|find)$/.test(nameOf(leaf))) return undefined;
  const open = leaf.command.words.slice(1).filter(({ open: isOpen }) => isOpen === true);
  return open.find(mayBecomeSeveral);
}

/** Quick to answer for most commands; passing on what `rm` names counts too. */
export function mayDelete({ command: { words, redirections } }: Leaf): boolean {
  return redirections.length > 0 || words.some((word) => MAY_DELETE.test(baseName(word)));
}

const MAY_DELETE =
  /^(?:g?rm|chmod|chown|mv|shred|unlink|truncate|srm|wipe|rsync|tar|find|clean|dd|tee|wipefs|mkfs.*|cp|install)$/;
const DESTROYERS = new Set(['rm', 'shred', 'unlink', 'truncate', 'srm', 'wipe']);

/** `find / -exec sh -c 'rm "$1"' …`: what is below the roots of find. */
function foundWords(leaf: Leaf): DeletedWord[] {
  // A fixed operand is not a found file.
  const isFound = ({ kind, value }: ShellWord) => kind === 'dynamic' || value.includes('{}');
  if (!DESTROYERS.has(nameOf(leaf)) || !leaf.command.words.slice(1).some(isFound)) return [];
  const finder = ancestor(leaf, (name) => name === 'find');
  if (finder === undefined) return [];
  return findRoots(finder.command.words.slice(1)).map((target) => ({ leaf: finder, target }));
}

function ancestor(leaf: Leaf, isWanted: (name: string) => boolean): Leaf | undefined {
  for (let outer = leaf.parent; outer !== undefined; outer = outer.parent) if (isWanted(nameOf(outer))) return outer;
  return undefined;
}

/** The folders in which `fd` finds what a command removes; a pattern comes first. */
function fdRoots(leaf: Leaf): DeletedWord[] {
  if (!DESTROYERS.has(nameOf(leaf))) return [];
  const finder = ancestor(leaf, (name) => name === 'fd' || name === 'fdfind');
  const words = finder?.command.words.slice(1, leaf.start) ?? [];
  const operands = words.filter(({ value }) => !value.startsWith('-'));
  return finder === undefined ? [] : operands.slice(1).map((target) => ({ leaf: finder, target }));
}

/** xargs rm -r removes what its input names. */
function handedWords(leaf: Leaf, leaves: readonly Leaf[]): ShellWord[] {
  const name = nameOf(leaf);
  const isRemover = /^(?:rm|chmod|chown|shred)$/.test(name);
  const hander = isRemover ? ancestor(leaf, (outer) => outer === 'xargs' || outer === 'parallel') : undefined;
  if (hander === undefined || hander.command.words.some(({ value }) => /^:::\+?$/.test(value))) return [];
  const own = leaf.command.words;
  const given = givenNames(hander);
  if (given !== undefined) return isTree(name, [...own, ...given]) ? given : [];
  // A list in a file names single files; a line that writes a file may put options into it.
  if (readsList(hander) && !isTree(name, own) && !leaves.some(writesFile)) return [];
  const printed = isTree(name, own) ? leaves.flatMap(printedWords) : [];
  // Unknown words may also be options.
  const isBelow = hander.command.feed?.().isBelow === true;
  if (isBelow || (printed.length === 0 && own.some(({ value }) => value === '--'))) return printed;
  const unknown = hander.command.openInput ?? 'what its input names';
  return [...printed, { ...wordOf(unknown), kind: 'dynamic', open: true }];
}

/** The names in an input that the line shows; undefined when it does not show all of it. */
function givenNames({ command: { input, openInput, feed } }: Leaf): ShellWord[] | undefined {
  const text = feed?.().text;
  if (openInput !== undefined || (input.length === 0 && text === undefined)) return undefined;
  const words = [...input, text ?? ''].flatMap((line) => line.split(/[\s\0]+/));
  return words.filter(Boolean).map(wordOf);
}

/** Whether its input is the content of a file that the line names. */
function readsList({ command: { openInput, feed, redirections } }: Leaf): boolean {
  if (openInput !== undefined) return false;
  const isRead = redirections.some(({ operator, target }) => operator === '<' && target.open !== true);
  return isRead || feed?.().isFile === true;
}

function writesFile({ command: { redirections, words } }: Leaf): boolean {
  const isWritten = redirections.some(({ writes, target }) => writes && target.value !== '/dev/null');
  return isWritten || words.some((word) => /^(?:tee|sponge|dd|cp|mv|ln|curl|wget)$/.test(baseName(word)));
}

function isTree(name: string, words: readonly ShellWord[]): boolean {
  return name === 'shred' || isRecursive(words);
}

function wordOf(value: string): ShellWord {
  return { value, text: value, kind: 'resolved', skeleton: value };
}

/** The names a listing command prints, as far as its operands show. */
function printedWords(leaf: Leaf): ShellWord[] {
  const { words, piped } = leaf.command;
  const name = nameOf(leaf);
  if (piped || !['find', 'ls', 'echo', 'printf', 'fd'].includes(name)) return [];
  if (words.some(({ value }) => FIND_FILTER.test(value))) return [];
  const rest = words.slice(1);
  if (name === 'find') return findRoots(rest);
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  return operands.length === 0 && name === 'ls' ? [HERE] : operands;
}

const HERE: ShellWord = { value: '.', text: '.', kind: 'literal', skeleton: '.' };

function findRoots(rest: readonly ShellWord[]): ShellWord[] {
  const first = rest.findIndex(({ value }) => /^[-(!]/.test(value));
  const roots = rest.slice(0, first < 0 ? rest.length : first).flatMap(spread);
  return roots.length === 0 ? [HERE] : roots;
}

function isRecursive(words: readonly ShellWord[]): boolean {
  return hasOption(words, 'rR', ['--recursive']);
}

/** A word with several possible values, as itself and as each of them. */
function spread(word: ShellWord): ShellWord[] {
  const { candidates = [], text } = word;
  const possible = candidates.map((value): ShellWord => ({ value, text, kind: 'resolved', skeleton: value }));
  return [word, ...possible.filter(({ value }) => value !== '')];
}

function deletedWords(leaf: Leaf): ShellWord[] {
  const { redirections } = leaf.command;
  const words = leaf.command.words.flatMap(spread);
  const rest = words.slice(1);
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  const written = redirections.filter(({ writes }) => writes).map(({ target }) => target);
  const name = nameOf(leaf);
  const devices = [...written, ...writtenDevices(name, rest, operands)].filter(isRawDevice);
  return [...devices, ...removedBy(name, words, operands), ...passedOn(leaf, words)];
}

/** `rm` in the words of a program that may run them. */
function passedOn(leaf: Leaf, words: readonly ShellWord[]): readonly ShellWord[] {
  const isKnown = takesData(words) || (leaf.wrapper && leaf.transparent) || runsElsewhere(words);
  const at = isKnown ? -1 : words.findIndex((word, index) => index > 0 && baseName(word) === 'rm');
  if (at < 0) return [];
  const rest = words.slice(at);
  return removedBy(
    'rm',
    rest,
    rest.slice(1).filter(({ value }) => !value.startsWith('-')),
  );
}

function writtenDevices(
  name: string,
  rest: readonly ShellWord[],
  operands: readonly ShellWord[],
): readonly ShellWord[] {
  if (name === 'cp' || name === 'install') return operands.slice(-1);
  return name === 'dd' || name === 'tee' || name === 'wipefs' || name.startsWith('mkfs') ? rest : [];
}

function removedBy(name: string, words: readonly ShellWord[], operands: readonly ShellWord[]): readonly ShellWord[] {
  switch (name) {
    case 'rm':
      return isRecursive(words) ? operands : [];
    case 'chmod':
    case 'chown':
      return hasOption(words, 'R', ['--recursive']) ? operands.slice(1) : [];
    case 'mv':
      return operands.slice(0, -1);
    case 'shred':
      return operands;
    case 'truncate':
      return operands.filter(({ open }) => open === true);
    case 'git':
      return cleanedBy(words);
    case 'rsync':
      return words.some(({ value }) => value.startsWith('--del')) ? operands.slice(-1) : [];
    case 'tar':
      return words.some(({ value }) => value.startsWith('--remove-f')) ? operands.slice(1) : [];
    case 'find':
      return findRemoves(words) ? findRoots(words.slice(1)) : [];
    default:
      return [];
  }
}

/** What `git clean` without a path removes: what is untracked in the line's folder. */
export const CLEANED: ShellWord = { ...HERE, text: 'what is untracked' };

/** `git clean` removes what is untracked; a path that leaves the folder is judged like any other. */
function cleanedBy(words: readonly ShellWord[]): readonly ShellWord[] {
  const { subcommand, rest } = readGit(words);
  if (subcommand !== 'clean' || hasOption([HERE, ...rest], 'n', ['--dry-run'])) return [];
  const hasPath = rest.some(
    ({ value }, index) =>
      value !== '' && !value.startsWith('-') && !/^(?:-[a-z]*e|--exclude)$/.test(rest[index - 1]?.value ?? ''),
  );
  if (!hasPath) return [CLEANED];
  return rest.filter(
    ({ value, text, open }) => !value.startsWith('-') && (open === true || /^(?:[/~]|\.\.|\$HOME|"\$HOME)/.test(text)),
  );
}

function findRemoves(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => value === '-delete');
}

/** Tests by which find selects some files instead of all. */
export const FIND_FILTER =
  /^-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[amc]time|[amc]min|size|empty|user|group|perm|links|inum)$/;

const RAW_DEVICE = /^\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk|mapper\/|dm-|md)/;

export function isRawDevice({ value }: ShellWord): boolean {
  return RAW_DEVICE.test(value.replace(/^of=/, ''));
}
