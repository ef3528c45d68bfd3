/**
 * Deletions of whole trees that no user intends: the disk, the home, the workspace itself,
 * and trees outside it. It reads what the line shows; it runs nothing.
 */

import { resolve } from 'node:path';
import { hasOption } from './known-commands.ts';
import { realPathOf } from '../policy-disk.ts';
import { baseName, clipped } from './shell-line.ts';
import type { ShellWord } from './shell-line.ts';
import type { Effect, EffectOptions } from './shell-effects.ts';
import { directoriesOf } from './shell-effects.ts';
import type { Leaf } from './shell-leaves.ts';
import { isInside } from '../../util/is-inside.ts';

interface Deletion extends Effect {
  /** No user intends this: it is denied, not asked. */
  refused: boolean;
}

/** Deletions of the root, the home, the workspace itself, or of trees outside it. */
export function treeDeletions(leaves: readonly Leaf[], options: EffectOptions): Deletion[] {
  const { directories } = directoriesOf(leaves, options.directory, options.places.home);
  const grounds = groundsOf(directories, options);
  return leaves.flatMap((leaf) => {
    const handed = isHandedNames(leaf) ? [...leaves.flatMap(printedWords), ...inputWords(leaf)] : [];
    return [...deletedWords(leaf), ...handed].flatMap((target) => judgeDeletion(leaf, target, grounds));
  });
}

function nameOf({ command: { words } }: Leaf): string {
  return words[0] === undefined ? '' : baseName(words[0]).replace(/^g(?=rm$)/, '');
}

/** xargs rm -r removes what other commands of the line print. */
function isHandedNames(leaf: Leaf): boolean {
  return nameOf(leaf) === 'rm' && isRecursive(leaf.command.words) && leaf.within.includes('xargs');
}

/** The names a listing command prints, as far as its operands show. */
function printedWords(leaf: Leaf): ShellWord[] {
  const { words, piped } = leaf.command;
  const name = nameOf(leaf);
  if (piped || !['find', 'ls', 'echo', 'printf', 'fd'].includes(name)) return [];
  if (words.some(({ value }) => FIND_FILTER.test(value))) return [];
  const rest = words.slice(1);
  const operands = name === 'find' ? findRoots(rest) : rest.filter(({ value }) => !value.startsWith('-'));
  return operands.length === 0 && (name === 'ls' || name === 'find') ? [HERE] : operands;
}

/** The names in a here-document or here-string. */
function inputWords({ command: { input } }: Leaf): ShellWord[] {
  const names = input.flatMap((text) => text.split(/\s+/)).filter((name) => name !== '');
  return names.map((value) => ({ value, text: value, kind: 'resolved', skeleton: value }));
}

const HERE: ShellWord = { value: '.', text: '.', kind: 'literal', skeleton: '.' };

function findRoots(rest: readonly ShellWord[]): ShellWord[] {
  const first = rest.findIndex(({ value }) => /^[-(!]/.test(value));
  return rest.slice(0, first < 0 ? rest.length : first);
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
  return [...devices, ...removedBy(name, words, operands)];
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

function findRemoves(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => value === '-delete' || value === 'rm');
}

/** Tests by which find selects some files instead of all. */
const FIND_FILTER =
  /^-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[amc]time|[amc]min|size|empty|user|group|perm|links|inum)$/;

const RAW_DEVICE = /^\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk|mapper\/|dm-|md)/;

function isRawDevice({ value }: ShellWord): boolean {
  return RAW_DEVICE.test(value.replace(/^of=/, ''));
}

interface Grounds {
  /** Trees that must not be removed as a whole, and where trees may be removed. */
  kept: readonly string[];
  allowed: readonly string[];
  /** The possible targets of a path, from each folder the line may be in. */
  find: (path: string) => readonly string[];
}

/** A line repeats the same few paths; each is looked up on disk once, and none for a line that deletes nothing. */
function groundsOf(directories: readonly string[], { places, workspace, scratch }: EffectOptions): Grounds {
  const found = new Map<string, readonly string[]>();
  let kept: readonly string[] | undefined;
  let allowed: readonly string[] | undefined;
  return {
    get kept() {
      return (kept ??= ['/', places.home, ...workspace].map(realPathOf));
    },
    get allowed() {
      return (allowed ??= [...workspace, ...scratch].map(realPathOf));
    },
    find: (path) => {
      const known = found.get(path) ?? directories.map((from) => realPathOf(resolve(from, path)));
      found.set(path, known);
      return known;
    },
  };
}

function judgeDeletion(leaf: Leaf, target: ShellWord, { kept, allowed, find }: Grounds): Deletion[] {
  const refuse = (reason: string): Deletion[] => [{ leaf, place: target.text, reason, refused: true }];
  if (isRawDevice(target)) return refuse(`it overwrites the device ${target.value}`);
  if (target.kind === 'dynamic' && !MEANS_HERE.test(target.text)) {
    const opens = EMPTY_IS_ROOT.test(target.skeleton) || DEFAULT_IS_ROOT.test(target.text);
    if (opens) return refuse(`${target.text} is the whole disk when the variable is empty`);
    const reason = `it removes ${clipped(target.text)}, which is known only when it runs`;
    const isUnread = target.output === 'text' || target.output === 'spelled';
    return isUnread ? [{ leaf, place: target.text, reason, refused: false }] : [];
  }
  const path = target.kind === 'dynamic' ? '.' : folderOf(target.value);
  const found = find(path);
  const chosen = nameOf(leaf) === 'find' && leaf.command.words.some(({ value }) => FIND_FILTER.test(value));
  const whole = chosen ? undefined : found.find((real) => kept.some((keep) => isInside(keep, real)));
  if (whole !== undefined) return refuse(`it removes ${target.text}, which is or contains your home or the workspace`);
  const outside = found.find((real) => !allowed.some((directory) => isInside(real, directory)));
  if (outside === undefined || nameOf(leaf) === 'mv') return [];
  return [
    { leaf, place: target.text, reason: `it removes ${target.text}, which is outside the workspace`, refused: false },
  ];
}

const EMPTY_IS_ROOT = /^\/+(?:\*|\.\*?|\.\/)*$/;
const DEFAULT_IS_ROOT = /\$\{\w+:?[-=][/~][*./]*\}/;
const MEANS_HERE =
  /^"?(?:\$\(|`)\s*(?:pwd|git rev-parse --show-(?:toplevel|cdup))\s*(?:\)|`)"?[/.*]*"?$|^(?:\.\/)?\{[.,*]*\}\*$/;

/** Patterns that match everything in a folder. */
const EVERYTHING = /^(?:[*?]*\*[*?]*|\.\*|\.\?\?\*?|\.?\[[!^]?[^\]]*\]\*|\{[^}]*\}\*?)$/;

/** The folder that is gone, or empty, after the word is deleted. */
function folderOf(value: string): string {
  const segments = value.replace(/\/+$/, '').split('/');
  while (segments.length > 0 && EVERYTHING.test(segments.at(-1) ?? '')) segments.pop();
  return segments.join('/') || (value.startsWith('/') ? '/' : '.');
}
