/**
 * What the commands of a line would write into protected places, and which folders it
 * may be in when it does. It reads paths; it runs nothing and decides nothing.
 */

import { resolve } from 'node:path';
import { readGit, setsGitProgram, writesGitConfiguration } from './git-command.ts';
import type { ProtectedPlaces } from './protected-paths.ts';
import { mentionsProtectedPlace, protectedPlaceOf } from './protected-paths.ts';
import { baseName } from './shell-line.ts';
import type { ShellWord } from './shell-line.ts';
import type { Leaf } from './shell-leaves.ts';

export interface Effect {
  leaf: Leaf;
  /** What a rule has to name in order to cover it. */
  place: string;
  reason: string;
}

export interface EffectOptions {
  /** Where the line starts. */
  directory: string;
  /** The folders the agent works in. */
  workspace: readonly string[];
  /** Where anything may be deleted. */
  scratch: readonly string[];
  places: ProtectedPlaces;
}

/** Commands that write, create, move or remove what their operands name. */
export const WRITERS = new Set([
  ...[
    'rm',
    'rmdir',
    'unlink',
    'touch',
    'mkdir',
    'tee',
    'truncate',
    'shred',
    'chmod',
    'chown',
    'chgrp',
    'chattr',
    'setfacl',
  ],
  ...[
    'mkfifo',
    'mknod',
    'sponge',
    'patch',
    'ed',
    'ex',
    'vi',
    'vim',
    'nvim',
    'nano',
    'emacs',
    'install',
    'ln',
    'link',
    'mv',
    'cp',
    'rsync',
  ],
  ...[
    'scp',
    'dd',
    'tar',
    'unzip',
    'cpio',
    'pax',
    '7z',
    'curl',
    'wget',
    'split',
    'csplit',
    'sort',
    'uniq',
    'iconv',
    'rename',
    'gcp',
    'gmv',
    'grm',
  ],
  ...[
    'xxd',
    'base64',
    'openssl',
    'gpg',
    'zip',
    'ar',
    'mount',
    'pushd',
    'trash',
    'fallocate',
    'logger',
    'script',
    'prettier',
    'jq',
  ],
]);

/** Of these only the last operand is written. */
const COPIERS = new Set(['cp', 'gcp', 'install', 'rsync', 'scp']);
const GIT_WRITERS = new Set([
  'checkout',
  'restore',
  'mv',
  'rm',
  'apply',
  'clean',
  'init',
  'clone',
  'worktree',
  'stash',
  'reset',
]);

/** Folders the line may be in at some point: the first, and each one it changes to. */
export function directoriesOf(
  leaves: readonly Leaf[],
  start: string,
  home: string,
): { directories: string[]; certain: boolean } {
  const directories = [start];
  let certain = true;
  const enter = (word: ShellWord | undefined) => {
    if (word === undefined) directories.push(home);
    else if (word.kind === 'dynamic' || word.value === '-' || directories.length > 32) certain = false;
    else for (const from of [...directories]) directories.push(resolve(from, word.value));
  };
  for (const leaf of leaves) {
    const { words } = leaf.command;
    const name = words[0] === undefined ? '' : baseName(words[0]);
    if (name === 'cd' || name === 'pushd')
      enter(words.slice(1).find(({ value }) => !/^-[LPe@]+$/.test(value) && value !== '--'));
    for (const word of [...leaf.directories, ...(name === 'git' ? readGit(words).directories : [])]) enter(word);
  }
  return { directories: [...new Set(directories)], certain };
}

/** Writes into protected places, as far as the line shows them. */
export function protectedWrites(leaves: readonly Leaf[], source: string, options: EffectOptions): Effect[] {
  const { directories, certain } = directoriesOf(leaves, options.directory, options.places.home);
  const mentioned = mentionsProtectedPlace(source);
  const effects: Effect[] = [];
  for (const leaf of leaves) {
    const later = laterCode(leaf);
    if (later !== undefined) effects.push(later);
    const targets = writtenWords(leaf);
    for (const target of targets) {
      const place = pathsIn(target)
        .flatMap((path) => directories.map((from) => protectedPlaceOf(path, from, options.places)))
        .find((found) => found !== undefined);
      if (place !== undefined)
        effects.push({ leaf, place, reason: `it may write to ${target.value}, a protected place` });
    }
    // Put together at run time, the target may be the protected place that the line names elsewhere.
    const uncertain =
      targets.some(({ kind }) => kind === 'dynamic') ||
      (targets.length > 0 && !certain) ||
      leaf.risks.some(({ unreadable }) => unreadable);
    if (mentioned && (uncertain || (leaf.parent !== undefined && isWriter(leaf)))) {
      effects.push({ leaf, place: 'a protected place', reason: 'it names a protected place and may write there' });
    }
  }
  return effects;
}

/** Places that are written without naming their file: settings that make git run something, jobs of the clock. */
function laterCode(leaf: Leaf): Effect | undefined {
  const { words, piped, input } = leaf.command;
  const name = words[0] === undefined ? '' : baseName(words[0]);
  if (name === 'git' && setsGitProgram(words))
    return { leaf, place: 'git config', reason: 'it sets what git runs later' };
  const lists = words.slice(1).some(({ value }) => value === '-l');
  if (name === 'crontab' && !lists && (words.length > 1 || piped || input.length > 0))
    return { leaf, place: 'crontab', reason: 'it sets what runs later by the clock' };
  return undefined;
}

function isWriter(leaf: Leaf): boolean {
  const [head] = leaf.command.words;
  return head !== undefined && WRITERS.has(baseName(head));
}

function writtenWords(leaf: Leaf): ShellWord[] {
  const { words, redirections } = leaf.command;
  const targets = redirections.filter(({ writes }) => writes).map(({ target }) => target);
  const [head, ...rest] = words;
  if (head === undefined) return targets;
  const name = baseName(head);
  if (COPIERS.has(name)) {
    const last = rest.filter(({ value }) => !value.startsWith('-')).at(-1);
    const options = rest.filter(
      ({ value }, index) =>
        value.startsWith('-') || /^-[A-Za-z]*t$|^--target-directory$/.test(rest[index - 1]?.value ?? ''),
    );
    return [...targets, ...options, ...(last === undefined ? [] : [last])];
  }
  const inPlace =
    /^g?sed$|^perl$|^ruby$/.test(name) && rest.some(({ value }) => /^-[A-Za-z]*i|^--in-place/.test(value));
  const deletes = name === 'find' && rest.some(({ value }) => /^-(?:delete|fprint|fls|exec|ok)/.test(value));
  return WRITERS.has(name) || inPlace || deletes || (name === 'git' && isWritingGit(words))
    ? [...targets, ...rest]
    : targets;
}

function isWritingGit(words: readonly ShellWord[]): boolean {
  const { subcommand, rest } = readGit(words);
  return (
    GIT_WRITERS.has(subcommand) ||
    writesGitConfiguration(subcommand, rest) ||
    rest.some(({ value }) => value.startsWith('--out'))
  );
}

/** The forms in which a word can carry a path: itself, `of=path`, `-opath`. */
function pathsIn({ value }: ShellWord): string[] {
  const paths = [value];
  const equals = value.indexOf('=');
  if (equals >= 0) paths.push(value.slice(equals + 1));
  if (/^-[A-Za-z]./.test(value)) paths.push(value.slice(2));
  // host:path and path:mode
  const colon = value.indexOf(':');
  if (colon >= 0) paths.push(value.slice(colon + 1));
  return paths;
}
