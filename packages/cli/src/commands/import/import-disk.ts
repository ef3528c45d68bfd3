/**
 * ImportDisk: where an import finds what exists, and writes. A dry run keeps in memory what the disk would hold, under the
 * same checks, so that it reports what the run will report.
 */

import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  checkSkill,
  copySkill,
  isPlaced,
  parseJsonText,
  previewSetting,
  readSourceFile,
  replaceFile,
  saveSetting,
  visitSkill,
} from '@castor/core/program';
import { readText } from './read-files.ts';

export type PlaceState = 'missing' | 'same' | 'other';

export class ImportDisk {
  private readonly isDry: boolean;
  /** What a dry run would have written: texts by path, and folders of skills by place. */
  private readonly texts = new Map<string, string>();
  private readonly skills = new Map<string, string>();

  constructor({ isDry }: { isDry: boolean }) {
    this.isDry = isDry;
  }

  readSettings(path: string): Record<string, unknown> {
    const text = this.texts.get(path);
    return text === undefined ? (readSourceFile(path) ?? {}) : parseJsonText(path, text);
  }

  saveSetting(path: string, key: readonly string[], value: unknown): void {
    checkPlace(path);
    if (this.isDry) this.texts.set(path, previewSetting(path, key, value, this.texts.get(path)));
    else saveSetting(path, key, value);
  }

  compareFile(path: string, text: string): PlaceState {
    const present = this.texts.get(path) ?? readText(path);
    if (present === undefined) return existsSync(path) ? 'other' : 'missing';
    return present === text ? 'same' : 'other';
  }

  writeFile(path: string, text: string): void {
    checkPlace(path);
    if (this.isDry) this.texts.set(path, text);
    else replaceFile(path, text);
  }

  compareSkill(name: string, from: string, destination: string): PlaceState {
    const present = this.skills.get(join(destination, name));
    if (present === undefined && !isPlaced(name, destination)) return 'missing';
    return compareSkills(from, present ?? join(destination, name));
  }

  writeSkill(name: string, from: string, destination: string): void {
    const skill = { name, directory: from, description: '' };
    checkPlace(join(destination, name, 'SKILL.md'));
    if (!this.isDry) copySkill(skill, destination);
    else {
      checkSkill(skill, destination);
      this.skills.set(join(destination, name), from);
    }
  }
}

/** Throws an Error with a sentence for a place where no file can be written. */
function checkPlace(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`${path} is a folder, not a file.`);
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder.`);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    // Another user's folder, or one without the permission.
    throw new Error(`${folder} may not be written to.`);
  }
}

function compareSkills(one: string, other: string): PlaceState {
  try {
    const list = (folder: string) => [...visitSkill(folder)].flatMap(({ path, isFolder }) => (isFolder ? [] : [path]));
    const files = list(one).toSorted();
    const isEqual = (file: string) => readFileSync(join(one, file)).equals(readFileSync(join(other, file)));
    const isSameList = JSON.stringify(files) === JSON.stringify(list(other).toSorted());
    return isSameList && files.every(isEqual) ? 'same' : 'other';
  } catch {
    // Whatever cannot be compared is asked about.
    return 'other';
  }
}
