/**
 * What the commands of a line would do to places that matter more than others: writes
 * into protected places, and deletions of whole trees that nobody means. It reads
 * paths; it runs nothing and decides nothing.
 */

import { resolve } from 'node:path';
import { readGit } from './git-command.ts';
import { hasOption } from './known-commands.ts';
import type { ProtectedPlaces } from './protected-paths.ts';
import { isInside, mentionsProtectedPlace, protectedPlaceOf } from './protected-paths.ts';
import { realPathOf } from './policy-disk.ts';
import type { ShellWord } from './shell-command.ts';
import type { Leaf } from './shell-leaves.ts';
import { baseName } from './shell-wrappers.ts';

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
const WRITERS = new Set([
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
  const git =
    name === 'git' &&
    (GIT_WRITERS.has(readGit(words).subcommand) || rest.some(({ value }) => value.startsWith('--out')));
  return WRITERS.has(name) || inPlace || deletes || git ? [...targets, ...rest] : targets;
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

export interface Deletion extends Effect {
  /** Nobody means this: it is refused, not asked. */
  refused: boolean;
}

/** Deletions of the root, the home, the workspace itself, or of trees outside it. */
export function treeDeletions(leaves: readonly Leaf[], options: EffectOptions): Deletion[] {
  const { directories } = directoriesOf(leaves, options.directory, options.places.home);
  return leaves.flatMap((leaf) =>
    deletedWords(leaf).flatMap((target) => judgeDeletion(leaf, target, directories, options)),
  );
}

function deletedWords(leaf: Leaf): ShellWord[] {
  const { words, redirections } = leaf.command;
  const [head, ...rest] = words;
  const devices = redirections
    .filter(({ writes, target }) => writes && RAW_DEVICE.test(target.value))
    .map(({ target }) => target);
  if (head === undefined) return devices;
  const name = baseName(head).replace(/^g(?=rm$)/, '');
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  if (name === 'rm' && hasOption(words, 'rR', ['--recursive'])) return [...devices, ...operands];
  if ((name === 'chmod' || name === 'chown') && hasOption(words, 'R', ['--recursive']))
    return [...devices, ...operands.slice(1)];
  if (name === 'mv' || name === 'shred') return [...devices, ...operands.slice(0, -1)];
  if (name === 'find' && rest.some(({ value }) => value === '-delete' || /^-(?:exec|ok)/.test(value))) {
    const removes = rest.some(({ value }) => value === '-delete' || value === 'rm');
    const first = rest.findIndex(({ value }) => /^[-(!]/.test(value));
    return removes ? [...devices, ...rest.slice(0, Math.max(first, 0))] : devices;
  }
  if (name === 'dd' || name.startsWith('mkfs') || name === 'wipefs')
    return [...devices, ...rest.filter(({ value }) => RAW_DEVICE.test(value.replace(/^of=/, '')))];
  return devices;
}

/** Tests with which find chooses some files instead of taking all. */
const FIND_FILTER =
  /^-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[amc]time|[amc]min|size|empty|user|group|perm|links|inum)$/;

const RAW_DEVICE = /^\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk|mapper\/|dm-|md)/;

function judgeDeletion(
  leaf: Leaf,
  target: ShellWord,
  directories: readonly string[],
  options: EffectOptions,
): Deletion[] {
  const refuse = (reason: string): Deletion[] => [{ leaf, place: target.text, reason, refused: true }];
  if (RAW_DEVICE.test(target.value.replace(/^of=/, ''))) return refuse(`it overwrites the device ${target.value}`);
  if (target.kind === 'dynamic') {
    const opens = /^\/+(?:\*|\.\*?|\.\/)*$/.test(target.skeleton);
    return opens ? refuse(`${target.text} is the whole disk when the variable is empty`) : [];
  }
  const path =
    target.value.replace(/(?<=^|\/)(?:\*|\.\[[^\]]*\]\*?|\.\*|\.\?\?\*?|\{[^}]*\})$/, '') ||
    (target.value.startsWith('/') ? '/' : '.');
  const found = directories.map((from) => realPathOf(resolve(from, path)));
  const chosen =
    leaf.command.words.some(({ value }) => FIND_FILTER.test(value)) && leaf.command.words[0]?.value === 'find';
  const whole = chosen
    ? undefined
    : found.find((real) =>
        ['/', options.places.home, ...options.workspace].some((keep) => isInside(realPathOf(keep), real)),
      );
  if (whole !== undefined) return refuse(`it removes ${target.value}, which is or contains your home or the workspace`);
  const allowed = [...options.workspace, ...options.scratch].map(realPathOf);
  const outside = found.find((real) => !allowed.some((directory) => isInside(real, directory)));
  if (outside === undefined || leaf.command.words[0]?.value === 'mv') return [];
  return [
    { leaf, place: target.text, reason: `it removes ${target.value}, which is outside the workspace`, refused: false },
  ];
}
