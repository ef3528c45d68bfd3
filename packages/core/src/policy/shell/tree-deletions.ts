/**
 * Deletions of whole trees that no user intends: the disk, the home, the workspace itself,
 * and trees outside it. It reads what the line shows; it runs nothing.
 */

import { resolve } from 'node:path';
import { realPathOf } from '../policy-disk.ts';
import { CLEANED, deletedBy, FIND_FILTER, isRawDevice, mayDelete, nameOf, unknownOptions } from './deleted-words.ts';
import { clipped } from './shell-line.ts';
import { printsSetup } from './unwrapped.ts';
import type { ShellWord } from './shell-word.ts';
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
  if (!leaves.some(mayDelete)) return [];
  const { directories, certain } = directoriesOf(leaves, options.directory, options.places.home);
  const grounds = groundsOf(directories, certain, options);
  const isSourced = leaves.some(sourcesFile);
  return leaves.flatMap((leaf) => {
    const several = unknownOptions(leaf);
    const deletions = deletedBy(leaf, leaves).flatMap(({ leaf: by, target }) =>
      judgeDeletion(by, isSourced ? withSourced(target) : target, grounds),
    );
    return several === undefined ? deletions : [...deletions, unknownDeletion(leaf, several)];
  });
}

/** A file that the line sources sets variables that the line does not show. */
function sourcesFile({ command: { words } }: Leaf): boolean {
  const [head, file] = words;
  return /^(?:\.|source)$/.test(head?.value ?? '') && file !== undefined && !printsSetup(file.text);
}

/** Variables that belong to the user's environment. */
const OF_USER = /\$\{?(?:HOME|PWD|OLDPWD|TMPDIR|TEMP|TMP|XDG_\w+)\b/;

/** Nothing but variables: the file may set them to anything. */
function withSourced(target: ShellWord): ShellWord {
  const { kind, skeleton, text } = target;
  const isOnlyVariable = kind === 'dynamic' && /^[./*]*$/.test(skeleton) && /\$/.test(text) && !OF_USER.test(text);
  return isOnlyVariable ? { ...target, open: true } : target;
}

function unknownDeletion(leaf: Leaf, { text }: ShellWord): Deletion {
  const reason = `it removes ${clipped(text)}, which is known only when it runs`;
  return { leaf, place: text, reason, refused: false };
}

interface Grounds {
  /** Trees that must not be removed as a whole, and whether a tree may be removed. */
  kept: readonly string[];
  home: string;
  isAllowed: (real: string) => boolean;
  /** Whether those are all folders the line may be in. */
  certain: boolean;
  /** The possible targets of a path, from each folder the line may be in. */
  find: (path: string) => readonly string[];
}

/** A line repeats the same few paths; each is looked up on disk once, and none for a line that deletes nothing. */
function groundsOf(
  directories: readonly string[],
  certain: boolean,
  { places, workspace, scratch }: EffectOptions,
): Grounds {
  const found = new Map<string, readonly string[]>();
  let kept: readonly string[] | undefined;
  let allowed: readonly string[] | undefined;
  return {
    certain,
    get home() {
      return realPathOf(places.home);
    },
    get kept() {
      return (kept ??= ['/', places.home, ...workspace].map(realPathOf));
    },
    isAllowed: (real) => {
      allowed ??= [...workspace, ...scratch].map(realPathOf);
      return allowed.some((directory) => isInside(real, directory));
    },
    find: (path) => {
      const known = found.get(path) ?? directories.map((from) => realPathOf(resolve(from, path)));
      found.set(path, known);
      return known;
    },
  };
}

function judgeDeletion(leaf: Leaf, target: ShellWord, grounds: Grounds): Deletion[] {
  const refuse = (reason: string): Deletion[] => [{ leaf, place: target.text, reason, refused: true }];
  if (isRawDevice(target)) return refuse(`it overwrites the device ${target.value}`);
  if (target.kind === 'dynamic' && !MEANS_HERE.test(target.text)) {
    if (opensRoot(target)) return refuse(`${target.text} is the whole disk when the variable is empty`);
    return isUnknownPlace(target, grounds) ? [unknownDeletion(leaf, target)] : [];
  }
  const path = target.kind === 'dynamic' ? '.' : folderOf(target.value);
  const found = grounds.find(path);
  if (target === CLEANED) return judgeCleaning(leaf, found, grounds);
  const chosen = nameOf(leaf) === 'find' && leaf.command.words.some(({ value }) => FIND_FILTER.test(value));
  const isWhole = found.some((real) => grounds.kept.some((keep) => isInside(keep, real)));
  if (isWhole && !chosen) return refuse(`it removes ${target.text}, which is or contains your home or the workspace`);
  // In an unknown folder everything of it may be the home.
  if (!grounds.certain && !chosen && /^[.][./]*$/.test(path)) return [unknownDeletion(leaf, target)];
  if (found.every(grounds.isAllowed) || nameOf(leaf) === 'mv') return [];
  const isUnsure = found.some(grounds.isAllowed);
  const outside = isUnsure
    ? 'may be outside the workspace, as the line changes its folder'
    : 'is outside the workspace';
  return [{ leaf, place: target.text, reason: `it removes ${target.text}, which ${outside}`, refused: false }];
}

/** `git clean` is meant for the workspace; in the home it removes what no repository has. */
function judgeCleaning(leaf: Leaf, found: readonly string[], { home, isAllowed, certain }: Grounds): Deletion[] {
  const base = { leaf, place: 'clean' };
  if (found.some((real) => isInside(home, real)))
    return [{ ...base, reason: 'it removes what is untracked in your home', refused: true }];
  if (certain && found.every(isAllowed)) return [];
  return [{ ...base, reason: 'it removes what is untracked in a folder outside the workspace', refused: false }];
}

function opensRoot({ skeleton, text }: ShellWord): boolean {
  return EMPTY_IS_ROOT.test(skeleton) || DEFAULT_IS_ROOT.test(text);
}

/** Whether an unknown target may be anything, or lies in a fixed place outside the workspace. */
function isUnknownPlace(target: ShellWord, { find, isAllowed }: Grounds): boolean {
  if (target.open === true) return !isInNamedPlace(target);
  return target.value.startsWith('/') && !find(target.skeleton).every(isAllowed);
}

/** A named part below a folder that a program prints: `$(git rev-parse --show-toplevel)/dist`. */
function isInNamedPlace({ output, skeleton, text }: ShellWord): boolean {
  return output === 'names' && /^"?[$`]/.test(text) && /^\/[\w@.-]*\w/.test(skeleton) && !skeleton.includes('..');
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
