/**
 * Finds what the commands of a line would write into protected places, and the folders the
 * line may be in at that time. It reads paths; it runs nothing and decides nothing.
 */

import { resolve } from 'node:path';
import { readGit } from './git-command.ts';
import { laterCode } from './deferred-execution.ts';
import { mentionsProtectedPlace, placeMatching } from '../protected-mentions.ts';
import type { ProtectedPlaces } from '../protected-paths.ts';
import { protectedPlaceOf } from '../protected-paths.ts';
import { baseName, clipped } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import type { Leaf } from './shell-leaves.ts';
import { isWriter, writtenWords } from './written-words.ts';

export interface Effect {
  leaf: Leaf;
  /** What a rule must name to cover it. */
  place: string;
  reason: string;
}

export interface EffectOptions {
  /** The folder in which the line starts. */
  directory: string;
  /** The folders the agent works in. */
  workspace: readonly string[];
  /** Folders in which anything may be deleted. */
  scratch: readonly string[];
  places: ProtectedPlaces;
  /** Commands that changed a file of environment variables in this session, as `writerKey` names them. */
  environmentWriters?: ReadonlySet<string> | undefined;
}

/** Folders the line may be in: the first, and each one it changes to. */
export function directoriesOf(
  leaves: readonly Leaf[],
  start: string,
  home: string,
): { directories: string[]; certain: boolean } {
  const directories = [start];
  let certain = true;
  const enter = (word: ShellWord | undefined) => {
    if (word === undefined) directories.push(home);
    else if (word.kind === 'dynamic' && word.open !== true && word.candidates !== undefined)
      for (const value of word.candidates) enter({ value, text: word.text, kind: 'resolved', skeleton: value });
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

const AT_RUN = ', a place known only when it runs';

/** Writes into protected places, as far as the line shows them. */
export function protectedWrites(leaves: readonly Leaf[], source: string, options: EffectOptions): Effect[] {
  const { directories, certain } = directoriesOf(leaves, options.directory, options.places.home);
  const mentioned = mentionsProtectedPlace(withoutSourced(source, leaves), options.places);
  // A pattern may then also match names that begin with a dot.
  const dotted = /dotglob|GLOBIGNORE/.test(source);
  const effects: Effect[] = [];
  // A line repeats the same few paths; each is looked up on disk once.
  const known = new Map<string, string | undefined>();
  const placeOf = (path: string) => {
    if (!known.has(path)) {
      const places = directories.map((from) => protectedPlaceOf(path, from, options.places));
      known.set(
        path,
        places.find((found) => found !== undefined),
      );
    }
    return known.get(path);
  };
  for (const leaf of leaves) effects.push(...writesOf(leaf, { placeOf, mentioned, dotted, certain, options }));
  return effects;
}

interface WritingLine {
  placeOf: (path: string) => string | undefined;
  /** Whether the line names a protected place anywhere. */
  mentioned: boolean;
  dotted: boolean;
  /** Whether every folder the line may be in is known. */
  certain: boolean;
  options: EffectOptions;
}

function writesOf(leaf: Leaf, line: WritingLine): Effect[] {
  const effects: Effect[] = [];
  const later = laterCode(leaf.command);
  if (later !== undefined) effects.push({ leaf, ...later });
  const targets = writtenWords(leaf.command);
  for (const target of new Map(targets.map((word) => [word.value, word])).values()) {
    const place = placeWritten(leaf, target, line);
    if (place !== undefined)
      effects.push({ leaf, place, reason: `it may write to ${target.value}, a protected place` });
  }
  const doubt = doubtAbout(leaf, targets, line);
  return [...effects, ...doubt.map((reason) => ({ leaf, place: 'a protected place', reason }))];
}

function placeWritten(leaf: Leaf, target: ShellWord, { placeOf, options }: WritingLine): string | undefined {
  const named = pathsIn(target)
    .map(placeOf)
    .find((found) => found !== undefined);
  return named ?? (isGit(leaf) ? placeMatching(target.value, options.places) : undefined);
}

/** Why a target that the line does not show may be a protected place. */
function doubtAbout(leaf: Leaf, targets: readonly ShellWord[], { mentioned, dotted, certain }: WritingLine): string[] {
  const reasons: string[] = [];
  // A name that the line contains in another form, `$(echo tig. | rev)`, is hidden on purpose.
  const hidden = targets.find(({ output }) => output === 'spelled');
  if (hidden !== undefined) reasons.push(`it may write to ${clipped(hidden.text)}${AT_RUN}`);
  const pattern = dotted ? targets.find(({ kind }) => kind === 'glob') : undefined;
  if (pattern !== undefined) reasons.push(`its pattern ${clipped(pattern.text)} may stand for a protected place`);
  // A target built at run time may be the protected place that the line names elsewhere.
  const uncertain =
    targets.some(({ kind }) => kind === 'dynamic') ||
    (targets.length > 0 && !certain) ||
    leaf.risks.some(({ unreadable }) => unreadable);
  if (mentioned && (uncertain || (leaf.parent !== undefined && isWriter(leaf.command))))
    reasons.push('it names a protected place and may write there');
  return reasons;
}

function isGit({ command: { words } }: Leaf): boolean {
  return words[0] !== undefined && baseName(words[0]) === 'git';
}

/** The line without the files it sources: `source ~/.bashrc` names that file in order to run it. */
function withoutSourced(source: string, leaves: readonly Leaf[]): string {
  return leaves.reduce((rest, { command: { words } }) => {
    const [head, file] = words;
    const isSourced =
      head !== undefined && file !== undefined && file.kind !== 'dynamic' && /^(?:source|\.)$/.test(head.value);
    return isSourced ? rest.replace(file.text, '') : rest;
  }, source);
}

/** The forms in which a word can contain a path: itself, `of=path`, `-opath`, `-xopath`, `:(top)path`. */
function pathsIn({ value, candidates = [] }: ShellWord): string[] {
  const paths = [value, ...candidates, value.replace(/^:\([^)]*\)/, '')];
  const equals = value.indexOf('=');
  if (equals >= 0) paths.push(value.slice(equals + 1));
  if (/^-[A-Za-z]./.test(value)) paths.push(value.slice(2));
  const clustered = /^-[A-Za-z]{2,}?([.~/].*)$/s.exec(value)?.[1];
  if (clustered !== undefined) paths.push(clustered);
  // host:path and path:mode
  const colon = value.indexOf(':');
  if (colon >= 0) paths.push(value.slice(colon + 1));
  return paths;
}
