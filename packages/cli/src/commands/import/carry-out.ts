/** Carries out the steps of an import, or says what it would do. Nothing that exists is replaced without the user's yes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { getErrorMessage } from '@castor/core';
import {
  copySkill,
  isPlaced,
  isRecord,
  projectDirectory,
  readSourceFile,
  replaceFile,
  saveSetting,
  userDirectory,
} from '@castor/core/program';
import type { ImportPlace, ImportStep } from './import-step.ts';
import { readText } from './read-files.ts';

export interface ImportResult {
  readonly what: string;
  readonly status: 'written' | 'would write' | 'already there' | 'kept' | 'used as it is' | 'no counterpart' | 'failed';
  /** Where it is now, or why it is not. */
  readonly detail: string;
  readonly notes: readonly string[];
}

export interface ImportOptions {
  readonly isDry: boolean;
  /** Asked about each thing that exists with another content. */
  readonly mayReplace: (what: string, where: string) => Promise<boolean>;
}

export async function carryOut(
  steps: readonly ImportStep[],
  place: ImportPlace,
  options: ImportOptions,
): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const step of steps) {
    // One thing that cannot be written keeps no other from being taken over, and none from being reported.
    const { what, notes = [] } = step;
    const failed = (error: unknown) => ({ what, status: 'failed' as const, detail: getErrorMessage(error), notes });
    results.push(await carryOutOne(step, place, options).catch(failed));
  }
  return results;
}

async function carryOutOne(step: ImportStep, place: ImportPlace, options: ImportOptions): Promise<ImportResult> {
  const { what, notes = [] } = step;
  if (step.kind === 'none') return { what, status: 'no counterpart', detail: step.reason, notes };
  if (step.kind === 'shared') return { what, status: 'used as it is', detail: '', notes };
  const target = targetOf(step, place);
  const done = (status: ImportResult['status']): ImportResult => ({ what, status, detail: target.where, notes });
  if (target.state === 'same') return done('already there');
  if (options.isDry) return done(target.state === 'other' ? 'kept' : 'would write');
  if (target.state === 'other' && !(await options.mayReplace(what, target.where))) return done('kept');
  target.write();
  return done('written');
}

interface Target {
  readonly where: string;
  readonly state: 'missing' | 'same' | 'other';
  write(): void;
}

function targetOf(step: Exclude<ImportStep, { kind: 'none' | 'shared' }>, { scope, home, cwd }: ImportPlace): Target {
  const folder = scope === 'user' ? userDirectory(home) : projectDirectory(cwd);
  const settings = join(folder, 'settings.json');
  switch (step.kind) {
    case 'setting': {
      const present = valueAt(readSourceFile(settings) ?? {}, step.key);
      const state = present === undefined ? 'missing' : isSame(present, step.value) ? 'same' : 'other';
      return {
        where: `${step.key.join('.')} in ${settings}`,
        state,
        write: () => void saveSetting(settings, step.key, step.value),
      };
    }
    case 'items': {
      const present = valueAt(readSourceFile(settings) ?? {}, step.key);
      const list = Array.isArray(present) ? (present as unknown[]) : [];
      const missing = step.items.filter((item) => !list.some((other) => isSame(other, item)));
      return {
        where: `${step.key.join('.')} in ${settings}`,
        state: missing.length === 0 ? 'same' : 'missing',
        write: () => void saveSetting(settings, step.key, [...list, ...missing]),
      };
    }
    case 'file': {
      const path = join(step.isBeside === true ? dirname(folder) : folder, step.path);
      const present = readText(path);
      const state =
        present === undefined ? (existsSync(path) ? 'other' : 'missing') : present === step.text ? 'same' : 'other';
      return { where: path, state, write: () => replaceFile(path, step.text) };
    }
    case 'skill': {
      const destination = join(folder, 'skills');
      const { name, from } = step;
      const state = isPlaced(name, destination) ? compareFolders(from, join(destination, name)) : 'missing';
      const skill = { name, directory: from, description: '' };
      return { where: join(destination, name), state, write: () => void copySkill(skill, destination) };
    }
  }
}

function compareFolders(one: string, other: string): 'same' | 'other' {
  try {
    const list = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(relative(folder, entry.parentPath), entry.name))
        .toSorted();
    const files = list(one);
    const isEqual = (file: string) => readFileSync(join(one, file)).equals(readFileSync(join(other, file)));
    return isSame(files, list(other)) && files.every(isEqual) ? 'same' : 'other';
  } catch {
    // Whatever cannot be compared is asked about.
    return 'other';
  }
}

function valueAt(values: Readonly<Record<string, unknown>>, key: readonly string[]): unknown {
  let value: unknown = values;
  for (const name of key) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
