/** Carries out the steps of an import, or says what it would do. Nothing that exists is replaced without the user's yes. */

import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { getErrorMessage } from '@castor/core';
import { isRecord, projectDirectory, userDirectory } from '@castor/core/program';
import type { ImportDisk, PlaceState } from './import-disk.ts';
import type { ImportPlace, ImportStep } from './import-step.ts';

export interface ImportResult {
  readonly what: string;
  readonly status:
    | 'written'
    | 'would write'
    | 'would ask'
    | 'already there'
    | 'kept'
    | 'used as it is'
    | 'no counterpart'
    | 'failed';
  /** Where it is now, or why it is not. */
  readonly detail: string;
  readonly notes: readonly string[];
}

export interface ImportOptions {
  readonly disk: ImportDisk;
  readonly isDry: boolean;
  /** Asked about each thing that exists with another content. Of a dry run `ask` stands for the question. */
  readonly mayReplace: (what: string, where: string) => Promise<boolean | 'ask'>;
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
  const target = targetOf(step, place, options.disk);
  const done = (status: ImportResult['status']): ImportResult => ({ what, status, detail: target.where, notes });
  if (target.state === 'same') return done('already there');
  const answer = target.state === 'missing' || (await options.mayReplace(what, target.where));
  if (answer !== true) return done(answer === 'ask' ? 'would ask' : 'kept');
  target.write();
  return done(options.isDry ? 'would write' : 'written');
}

interface Target {
  readonly where: string;
  readonly state: PlaceState;
  write(): void;
}

type WritingStep = Exclude<ImportStep, { kind: 'none' | 'shared' }>;

function targetOf(step: WritingStep, { scope, home, cwd }: ImportPlace, disk: ImportDisk): Target {
  const folder = scope === 'user' ? userDirectory(home) : projectDirectory(cwd);
  const settings = join(folder, 'settings.json');
  switch (step.kind) {
    case 'setting': {
      const present = valueAt(disk.readSettings(settings), step.key);
      const state = present === undefined ? 'missing' : isSame(present, step.value) ? 'same' : 'other';
      return {
        where: `${step.key.join('.')} in ${settings}`,
        state,
        write: () => disk.saveSetting(settings, step.key, step.value),
      };
    }
    case 'items': {
      const present = valueAt(disk.readSettings(settings), step.key);
      const list = Array.isArray(present) ? (present as unknown[]) : [];
      const missing = step.items.filter((item) => !list.some((other) => isSame(other, item)));
      return {
        where: `${step.key.join('.')} in ${settings}`,
        state: missing.length === 0 ? 'same' : present === undefined || Array.isArray(present) ? 'missing' : 'other',
        write: () => disk.saveSetting(settings, step.key, [...list, ...missing]),
      };
    }
    case 'file': {
      const path = join(step.isBeside === true ? dirname(folder) : folder, step.path);
      return { where: path, state: disk.compareFile(path, step.text), write: () => disk.writeFile(path, step.text) };
    }
    case 'skill': {
      const destination = join(folder, 'skills');
      const { name, from } = step;
      return {
        where: join(destination, name),
        state: disk.compareSkill(name, from, destination),
        write: () => disk.writeSkill(name, from, destination),
      };
    }
  }
}

function valueAt(values: Readonly<Record<string, unknown>>, key: readonly string[]): unknown {
  let value: unknown = values;
  for (const name of key) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}
