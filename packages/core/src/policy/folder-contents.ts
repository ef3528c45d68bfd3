/**
 * Reads what a command line is about to use: folders, scripts and patches. Loaded with the
 * first command; the rest of the policy room's access to the disk is in policy-disk.ts.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ENVIRONMENT_FILE } from '../util/environment-file.ts';
import { entriesOf, fileFacts } from './policy-disk.ts';

const MAX_ENTRIES = 20_000;

/** Whether a tree contains a file of environment variables; `unknown` when the tree is too large. */
export function environmentFileIn(path: string): 'none' | 'some' | 'unknown' | 'missing' {
  let left = MAX_ENTRIES;
  const open = [path];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesOf(folder);
    if (folder === path && entries === undefined && fileFacts(path) === undefined) return 'missing';
    for (const entry of entries ?? []) {
      left -= 1;
      if (left < 0) return 'unknown';
      if (ENVIRONMENT_FILE.test(entry.name)) return 'some';
      if (entry.isDirectory()) open.push(join(folder, entry.name));
    }
  }
  return 'none';
}

/** The text of a file that is read before a command uses it; undefined when it is missing or large. */
export function smallTextOf(path: string): string | undefined {
  try {
    return statSync(path).size > MAX_TEXT_BYTES ? undefined : readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

const MAX_TEXT_BYTES = 4_000_000;

/** Whether git would fill the folder: it is empty, or missing. */
export function isEmptyFolder(path: string): boolean {
  return (entriesOf(path) ?? []).length === 0;
}

/** The nearest file of this name in a folder or above it. */
export function fileAbove(folder: string, name: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = at.endsWith('/') ? `${at}${name}` : `${at}/${name}`;
    if (existsSync(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/** Names in a folder that a program would interpret as an option. */
export function dashNamesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.startsWith('-'));
  } catch {
    return [];
  }
}
