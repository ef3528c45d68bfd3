/**
 * Finds commands that write files whose names the line does not contain: they are in an
 * archive, a patch, a revision or another folder. Where the disk or git shows the names,
 * only those with files of environment variables among them count (docs/decisions/0033).
 */

import { resolve } from 'node:path';
import { environmentFileIn, isEmptyFolder, smallTextOf } from '../folder-contents.ts';
import { isEnvironmentPlace, mentionsEnvironmentFile, mentionsProtectedPlace } from '../protected-mentions.ts';
import { askGit } from '../git-queries.ts';
import { fileFacts, realPathOf } from '../policy-disk.ts';
import { writerKey } from './environment-writers.ts';
import { isKnownSafe } from './known-commands.ts';
import { projectScripts, runsProjectScript } from './project-scripts.ts';
import type { ProjectScript } from './project-scripts.ts';
import type { Effect, EffectOptions } from './shell-effects.ts';
import { directoriesOf, protectedWrites } from './shell-effects.ts';
import { readShellLine } from './shell-leaves.ts';
import type { Leaf } from './shell-leaves.ts';
import { clipped } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { formOf, nameOf } from './unnamed-forms.ts';
import type { Form } from './unnamed-forms.ts';
import { isWriter } from './written-words.ts';
import { isInside } from '../../util/is-inside.ts';

export interface UnnamedWrite extends Effect {
  /** What a rule must spell to cover the form: `x` of `tar x`, `apply` of `git apply`. */
  word: string;
  /** Whether a write was seen, in a script or in this session: then a question names it in any case. */
  isSeen?: true;
}

export async function unnamedWrites(
  leaves: readonly Leaf[],
  options: EffectOptions,
  depth = 0,
): Promise<UnnamedWrite[]> {
  if (!options.places.environmentFiles) return [];
  const writers = options.environmentWriters;
  const noted = writers === undefined || writers.size === 0 ? [] : leaves.flatMap((leaf) => notedWrite(leaf, writers));
  const found = leaves.flatMap((leaf) => {
    const form = formOf(leaf.command);
    return form === undefined ? [] : [{ leaf, form }];
  });
  const programs = depth > MAX_SCRIPTS ? [] : leaves.filter(({ command }) => runsProjectScript(command));
  if (found.length === 0 && programs.length === 0) return noted;
  const { directories, certain } = directoriesOf(leaves, options.directory, options.places.home);
  const writes = [...noted];
  for (const leaf of programs) {
    for (const script of projectScripts(leaf.command, directories)) {
      const reason = await scriptWrite(script, options, depth + 1);
      if (reason === undefined) continue;
      writes.push({
        leaf,
        place: '.env',
        word: script.word,
        reason: `${script.name} may write or remove a file .env: ${reason}`,
      });
      break;
    }
  }
  for (const { leaf, form } of found) {
    const place = { directories, certain, isAlone: isAlone(leaf, leaves), options };
    const doubt = certain && isScratch(form, place) ? undefined : await doubtAbout(leaf, form, place);
    if (doubt === undefined) continue;
    const reason = `${nameOf(leaf.command)} may write or remove a file .env${doubt}`;
    writes.push({ leaf, place: '.env', word: form.word, reason });
  }
  return writes;
}

function notedWrite(leaf: Leaf, writers: ReadonlySet<string>): UnnamedWrite[] {
  const key = writerKey(leaf);
  if (!writers.has(key)) return [];
  const reason = `${clipped(key)} changed a file .env before in this session`;
  return [{ leaf, place: '.env', word: key.split(' ').at(-1) ?? key, reason, isSeen: true }];
}

/** Scripts that run scripts are followed this far. */
const MAX_SCRIPTS = 4;

/** What a script of the project does to a file of environment variables; undefined when nothing is seen. */
async function scriptWrite(
  { text, directory }: ProjectScript,
  options: EffectOptions,
  depth: number,
): Promise<string | undefined> {
  const names = mentionsEnvironmentFile(text);
  if (!names && !MAY_CHECK_OUT.test(text)) return undefined;
  const { leaves } = readShellLine(text, new Map([['HOME', options.places.home]]));
  const inside = { ...options, directory };
  const named = names ? protectedWrites(leaves, text, inside).filter(({ place }) => isEnvironmentPlace(place)) : [];
  const [write] = [...named, ...(await unnamedWrites(leaves, inside, depth))];
  return write === undefined ? undefined : `it runs \`${clipped(write.leaf.command.source)}\``;
}

/** The first words of the commands that write without naming, or that run further scripts. */
const MAY_CHECK_OUT =
  /\b(?:git|gh|glab|hub|hg|svn|tar|unzip|7z|cpio|patch|cp|rsync|scp|docker|podman|kubectl|aws|gsutil|rclone|wget|vercel|dotenvx?|prisma|artisan|npm|npx|yarn|pnpm|bun|make|just)\b|\.\/|\bnode --run\b/;

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
    case 'folder':
      return isFolderOfItsOwn(evidence.folder, leaf, { directories, certain, isAlone: alone, options })
        ? undefined
        : unknown;
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

/** git fills only an empty folder: the workspace and the home are safe while they contain something. */
function isFolderOfItsOwn(folder: ShellWord, leaf: Leaf, { directories, certain, isAlone: alone, options }: Place) {
  if (!isFixed(folder) || !certain) return false;
  const owned = [...options.workspace, options.places.home].map(realPathOf);
  const filled = directories.map((from) => realPathOf(resolve(from, folder.value)));
  return filled.every((path) => !owned.includes(path) || (alone && leaf.parent === undefined && !isEmptyFolder(path)));
}

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
