/** Reports what Castor does with the files of Gemini CLI, which it reads as they are. Nothing is written. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSetting, isRecord, noEffectOf } from '@castor/core/program';
import { none } from './import-step.ts';
import type { ImportPlace, ImportStep } from './import-step.ts';
import { readJson } from './read-files.ts';

const PLACES = [
  'settings.json',
  'commands',
  'skills',
  'agents',
  'extensions',
  'policies',
  'GEMINI.md',
  'trustedFolders.json',
];

export async function readGemini({ scope, home, cwd }: ImportPlace): Promise<ImportStep[]> {
  const folder = join(scope === 'user' ? home : cwd, '.gemini');
  const used = PLACES.filter((name) => existsSync(join(folder, name)));
  return [
    ...used.map((name) => ({ kind: 'shared' as const, what: join(folder, name) })),
    ...walk(readJson(join(folder, 'settings.json')) ?? {}, []),
  ];
}

function walk(values: Readonly<Record<string, unknown>>, path: readonly string[]): ImportStep[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = [...path, name];
    const found = findSetting(inner);
    if (found === undefined) {
      return isRecord(value) ? walk(value, inner) : [none(`setting ${inner.join('.')}`, 'Castor does not know it.')];
    }
    return noEffectOf(found.key) === undefined ? [] : [none(`setting ${found.key}`, 'it has no effect in Castor yet.')];
  });
}
