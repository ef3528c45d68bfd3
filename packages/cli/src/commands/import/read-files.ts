/** Reads the files of another agent: bounded, and none of them is run. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseJsonText } from '@castor/core/program';

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 500;

/** Undefined for a missing file. Throws an Error with a sentence. */
export function readText(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  if (stat.size > MOST_BYTES) throw new Error(`${path} is larger than 4 MB.`);
  return readFileSync(path, 'utf8');
}

export function readJson(path: string): Record<string, unknown> | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseJsonText(path, text);
}

/** Files with this ending below a folder, as paths relative to it; sorted. Links are not followed. */
export function listFiles(folder: string, ending: string): string[] {
  const walk = (directory: string): string[] => {
    if (!existsSync(directory)) return [];
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() && entry.name.endsWith(ending) ? [relative(folder, path)] : [];
    });
  };
  return walk(folder).toSorted().slice(0, MOST_FILES);
}
