/**
 * Puts skills into a folder of skills, as copies or as links, and removes them. A skill is in place whole or not at all:
 * it is copied beside its place and then renamed. Links in a copied folder are not followed.
 */

import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { basename, join, sep } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import type { InstallableSkill } from './find-installable.ts';
import { readSkill } from './read-skill.ts';
import { SkillError } from './skill-error.ts';
import { listSkillFolders } from './skill-folders.ts';

const MOST_FILES = 5000;
const MOST_BYTES = 100 * 1024 * 1024;
const SKIPPED: ReadonlySet<string> = new Set(['.git']);

/** Whether something is in the skill's place. */
export function isPlaced(name: string, destination: string): boolean {
  return lstatSync(placeOf(name, destination), { throwIfNoEntry: false }) !== undefined;
}

/** Copies the skill, replacing one of the same name. Returns its folder. Throws SkillError. */
export function copySkill(skill: InstallableSkill, destination: string): string {
  checkSkill(skill, destination);
  const place = placeOf(skill.name, destination);
  makeDirectory(destination);
  const temporary = join(destination, `.${basename(place)}.${process.pid}.new`);
  try {
    rmSync(temporary, { recursive: true, force: true });
    copyFolder(realpathSync(skill.directory), temporary);
    replace(place, temporary);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return place;
}

/** Throws the SkillError for which `copySkill` would not copy the skill. */
export function checkSkill({ name, directory }: InstallableSkill, destination: string): void {
  const place = placeOf(name, destination);
  const from = realpathSync(directory);
  if (isSameOrInside(place, from)) throw new SkillError(`${place} is inside the skill itself.`);
  for (const _ of visitSkill(from));
}

/** Links to the skill's folder, replacing a link of the same name. Returns the link. Throws SkillError. */
export function linkSkill({ name, directory }: InstallableSkill, destination: string): string {
  const place = placeOf(name, destination);
  const present = lstatSync(place, { throwIfNoEntry: false });
  if (present && !present.isSymbolicLink()) {
    throw new SkillError(`${place} is a folder, not a link. Uninstall that skill first, or rename it.`);
  }
  makeDirectory(destination);
  if (present) unlinkSync(place);
  symlinkSync(realpathSync(directory), place, process.platform === 'win32' ? 'junction' : 'dir');
  return place;
}

/** By the name in its front matter, else by the name of its folder. Undefined: there is none. */
export async function removeSkill(name: string, destination: string): Promise<string | undefined> {
  const place = (await findByName(name, destination)) ?? placeOf(name, destination);
  const present = lstatSync(place, { throwIfNoEntry: false });
  if (!present) return undefined;
  if (present.isSymbolicLink()) unlinkSync(place);
  else if (present.isDirectory()) rmSync(place, { recursive: true });
  else return undefined;
  return place;
}

async function findByName(name: string, destination: string): Promise<string | undefined> {
  for (const directory of listSkillFolders(destination)) {
    if (directory === destination) continue;
    const read = await readSkill({ directory, source: { kind: 'user', name: 'user', directory, trusted: true } });
    if (typeof read !== 'string' && read.name.toLowerCase() === name.toLowerCase()) return directory;
  }
  return undefined;
}

/** A name from a front matter has no separators; a user may type anything. Throws SkillError. */
function placeOf(name: string, destination: string): string {
  if (name.trim() === '' || name.startsWith('.') || /[\\/\0]/.test(name)) {
    throw new SkillError(`${JSON.stringify(name)} cannot be the name of a folder. Rename the skill in its SKILL.md.`);
  }
  return join(destination, name);
}

interface Visited {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Every entry that belongs to a skill; a folder comes before its content. Throws SkillError for one that may not be copied. */
export function* visitSkill(from: string): Generator<Visited, void> {
  let files = 0;
  let bytes = 0;
  function* visit(folder: string): Generator<Visited, void> {
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        yield { path, isFolder: true };
        yield* visit(path);
      } else if (entry.isFile()) {
        files += 1;
        bytes += lstatSync(join(from, path)).size;
        if (files > MOST_FILES) throw new SkillError(`The skill has more than ${MOST_FILES} files.`);
        if (bytes > MOST_BYTES) throw new SkillError('The skill is larger than 100 MB.');
        yield { path, isFolder: false };
      } else {
        const place = join(from, path);
        throw new SkillError(`${place} is neither a file nor a folder. A skill may hold no links and no devices.`);
      }
    }
  }
  yield* visit('');
}

function copyFolder(from: string, to: string): void {
  makeDirectory(to);
  for (const { path, isFolder } of visitSkill(from)) {
    if (isFolder) makeDirectory(join(to, path));
    else copyOne(join(from, path), join(to, path));
  }
}

function copyOne(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, (lstatSync(from).mode & 0o777) | 0o600);
}

/** The old folder leaves only when the new one is complete. */
function replace(place: string, complete: string): void {
  const old = `${join(place, '..', `.${basename(place)}`)}.${process.pid}.old`;
  const present = lstatSync(place, { throwIfNoEntry: false });
  if (present) renameSync(place, old);
  try {
    renameSync(complete, place);
  } catch (error) {
    if (present) renameSync(old, place);
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

function isSameOrInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
