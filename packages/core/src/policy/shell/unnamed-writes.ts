/**
 * Finds commands that write files whose names the line does not contain: they are in an
 * archive, a patch, a revision or another folder. Where the disk or git shows the names,
 * only those with files of environment variables among them count (docs/decisions/0033).
 */

import { resolve } from 'node:path';
import { askGit } from '../git-queries.ts';
import type { GitQuery } from '../git-queries.ts';
import { environmentFileIn, fileFacts, realPathOf, smallTextOf } from '../policy-disk.ts';
import { mentionsProtectedPlace } from '../protected-paths.ts';
import { extractingWord, extractionFolder } from './extracting-commands.ts';
import { readTreeChange } from './git-tree-changes.ts';
import { hasOption, isKnownSafe } from './known-commands.ts';
import type { Effect, EffectOptions } from './shell-effects.ts';
import { directoriesOf } from './shell-effects.ts';
import type { Leaf } from './shell-leaves.ts';
import { baseName } from './shell-line.ts';
import type { ShellWord, SimpleCommand } from './shell-line.ts';
import { isWriter } from './written-words.ts';
import { isInside } from '../../util/is-inside.ts';

export interface UnnamedWrite extends Effect {
  /** What a rule must spell to cover the form: `x` of `tar x`, `apply` of `git apply`. */
  word: string;
}

/** What shows the names before the command runs. */
type Evidence =
  | { kind: 'nothing' }
  | { kind: 'git'; queries: readonly GitQuery[]; paths: readonly ShellWord[] }
  | { kind: 'trees'; sources: readonly ShellWord[] }
  | { kind: 'patches'; files: readonly ShellWord[] };

interface Form {
  word: string;
  /** Names the place of the names. */
  where: string;
  evidence: Evidence;
  /** The folder it writes into; absent means the line's own. */
  into?: ShellWord | undefined;
}

export async function unnamedWrites(leaves: readonly Leaf[], options: EffectOptions): Promise<UnnamedWrite[]> {
  const found = leaves.flatMap((leaf) => {
    const form = formOf(leaf.command);
    return form === undefined ? [] : [{ leaf, form }];
  });
  if (found.length === 0 || !options.places.environmentFiles) return [];
  const { directories, certain } = directoriesOf(leaves, options.directory, options.places.home);
  const writes: UnnamedWrite[] = [];
  for (const { leaf, form } of found) {
    const place = { directories, certain, isAlone: isAlone(leaf, leaves), options };
    const doubt = certain && isScratch(form, place) ? undefined : await doubtAbout(leaf, form, place);
    if (doubt === undefined) continue;
    const reason = `${nameOf(leaf.command)} may write a file .env${doubt}`;
    writes.push({ leaf, place: '.env', word: form.word, reason });
  }
  return writes;
}

interface Place {
  directories: readonly string[];
  certain: boolean;
  /** Whether no other command of the line changes what the disk shows now. */
  isAlone: boolean;
  options: EffectOptions;
}

async function doubtAbout(
  leaf: Leaf,
  { where, evidence }: Form,
  { directories, certain, isAlone: alone, options }: Place,
): Promise<string | undefined> {
  const unknown = `: the names are in ${where}`;
  switch (evidence.kind) {
    case 'nothing':
      return unknown;
    case 'trees':
      return treesDoubt(evidence.sources, { directories, alone, unknown });
    case 'patches':
      return alone && certain && arePatchesHarmless(leaf.command, evidence.files, directories) ? undefined : unknown;
    case 'git': {
      if (!alone) return `${unknown}, which the line changes; run it as a command of its own`;
      if (!certain || directories.length > MAX_DIRECTORIES) return unknown;
      if (evidence.paths.length > 0 && evidence.paths.every((path) => isFile(path, directories))) return undefined;
      for (const directory of directories) {
        for (const query of evidence.queries) {
          const answer = await askGit(query, { directory, home: options.places.home });
          if (answer === 'some') return ': git finds one there';
          if (answer === 'unknown') return unknown;
        }
      }
      return undefined;
    }
  }
}

const MAX_DIRECTORIES = 8;

function treesDoubt(
  sources: readonly ShellWord[],
  { directories, alone, unknown }: { directories: readonly string[]; alone: boolean; unknown: string },
): string | undefined {
  for (const { kind, value } of sources) {
    if (kind === 'dynamic' || /^[\w.@-]+:/.test(value)) return unknown;
    const folder = kind === 'glob' ? value.replace(/[^/]*[*?[].*$/s, '') || '.' : value;
    const answers = directories.map((from) => environmentFileIn(resolve(from, folder)));
    if (answers.includes('some')) return `: ${value} contains one`;
    if (answers.includes('unknown')) return `: ${value} has too many files to look for one`;
    if (!alone && answers.every((answer) => answer === 'missing')) return unknown;
  }
  return undefined;
}

/** A patch names what it changes; a quoted name may be written with escapes. */
function arePatchesHarmless(command: SimpleCommand, files: readonly ShellWord[], directories: readonly string[]) {
  const redirected = command.redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const named = files.length > 0 ? files : redirected;
  if (command.openInput !== undefined || (named.length === 0 && command.input.length === 0)) return false;
  const texts = named.flatMap((file) =>
    directories.map((from) => (isFixed(file) ? smallTextOf(resolve(from, file.value)) : undefined)),
  );
  const known = [...texts.filter((text) => text !== undefined), ...(named.length === 0 ? command.input : [])];
  if (known.length === 0 || named.some((file) => !isFixed(file))) return false;
  const places = { environmentFiles: true };
  return known.every((text) => !mentionsProtectedPlace(text, places) && !/^(?:\S+ )*"[^"\n]*\\\d/m.test(text));
}

function isFixed({ kind }: ShellWord): boolean {
  return kind === 'literal' || kind === 'resolved';
}

/** A command that names a plain file shows what it writes. */
function isFile(word: ShellWord, directories: readonly string[]): boolean {
  if (!isFixed(word)) return false;
  return directories.some((from) => fileFacts(resolve(from, word.value))?.kind === 'file');
}

function isScratch({ into }: Form, { directories, options }: Place): boolean {
  if (into !== undefined && !isFixed(into)) return false;
  const workspace = options.workspace.map(realPathOf);
  const scratch = options.scratch.map(realPathOf);
  return directories.every((from) => {
    const real = realPathOf(resolve(from, into?.value ?? '.'));
    return scratch.some((folder) => isInside(real, folder)) && !workspace.some((folder) => isInside(real, folder));
  });
}

/** Commands before it may make an archive, a patch or a revision; those that only read cannot. */
function isAlone(leaf: Leaf, leaves: readonly Leaf[]): boolean {
  const outer = new Set<Leaf | undefined>();
  for (let at: Leaf | undefined = leaf; at !== undefined; at = at.parent) outer.add(at);
  return leaves.every((other) => outer.has(other) || outer.has(other.parent) || !mayPrepare(other.command));
}

/** Whether it may make or fetch what another command unpacks or checks out. */
function mayPrepare(command: SimpleCommand): boolean {
  const { redirections } = command;
  if (redirections.some(({ writes, target }) => writes && target.value !== '/dev/null')) return true;
  const name = nameOf(command);
  if (/^(?:mkdir|touch|rm|rmdir)$/.test(name)) return false;
  return (isWriter(command) || name === 'git') && !isKnownSafe(command, { trustedFolder: true });
}

function nameOf({ words }: SimpleCommand): string {
  return words[0] === undefined ? '' : baseName(words[0]).replace(/^g(?=(?:tar|cp|patch|cpio)$)/, '');
}

function formOf(command: SimpleCommand): Form | undefined {
  const { words } = command;
  const name = nameOf(command);
  const rest = words.slice(1);
  if (name === 'git') return gitForm(words);
  if (name === 'patch') return patchForm(rest);
  if (Object.hasOwn(COPIERS, name)) return copyForm(name, words, rest);
  const word = extractingWord(name, rest);
  if (word === undefined) return undefined;
  return { word, where: 'the archive', evidence: { kind: 'nothing' }, into: extractionFolder(name, rest) };
}

function gitForm(words: readonly ShellWord[]): Form | undefined {
  const change = readTreeChange(words);
  if (change === undefined) return undefined;
  const { word, queries, patches, paths = [] } = change;
  if (patches !== undefined) return { word, where: 'the patch', evidence: { kind: 'patches', files: patches } };
  const evidence: Evidence = queries === undefined ? { kind: 'nothing' } : { kind: 'git', queries, paths };
  return { word, where: 'the repository', evidence };
}

/** `patch file` changes that file, and `-o` and `-i` take a value. */
function patchForm(rest: readonly ShellWord[]): Form | undefined {
  if (rest.some(({ value }) => value === '--dry-run')) return undefined;
  const inputs: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined) break;
    const attached = /^(?:-i|--input=)(.+)$/s.exec(word.value)?.[1];
    if (attached !== undefined) inputs.push({ ...word, value: attached });
    else if (/^(?:-[bcefnNRstTuvZ]*i|--input)$/.test(word.value)) inputs.push(rest[(index += 1)] ?? word);
    else if (/^-[BDdFgoprVYz]$/.test(word.value)) index += 1;
    else if (!word.value.startsWith('-')) operands.push(word);
  }
  const files = operands.length > 1 ? operands.slice(1, 2) : inputs;
  return { word: 'patch', where: 'the patch', evidence: { kind: 'patches', files } };
}

/** Whether a copy takes whole folders. */
const COPIERS: Readonly<Record<string, (words: readonly ShellWord[]) => boolean>> = {
  cp: (words) => hasOption(words, 'rRa', ['--recursive', '--archive']),
  rsync: (words) => hasOption(words, 'ra', ['--recursive', '--archive', '--files-from']),
  scp: (words) => hasOption(words, 'r', []),
  ditto: () => true,
};

function copyForm(name: string, words: readonly ShellWord[], rest: readonly ShellWord[]): Form | undefined {
  if (COPIERS[name]?.(words) !== true) return undefined;
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  const option = rest.findIndex(({ value }) => /^(?:-[A-Za-z]*t|--target-directory)$/.test(value));
  const into = option >= 0 && name === 'cp' ? rest[option + 1] : operands.at(-1);
  const sources = operands.filter((word) => word !== into);
  const word = rest.find(({ value }) => value.startsWith('-'))?.value ?? name;
  return { word, where: 'another folder', evidence: { kind: 'trees', sources }, into };
}
