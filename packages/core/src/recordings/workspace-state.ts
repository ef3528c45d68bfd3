/**
 * What the files of a workspace were and what they became: the state at the start by size and time, and since then the contents of
 * what changed. Folders of dependencies and build results are left out, and so is what is too large to keep.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { EXCLUDED_DIRECTORIES } from '../tools/files/search-scope.ts';
import { toBytes, toContent } from './recording-lines.ts';
import type { FileContent } from './recording-lines.ts';

const MOST_FILES = 50_000;
export const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** A mark for each file, by its path below the root. */
export type TreeMarks = ReadonlyMap<string, string>;

export function markTree(root: string): Map<string, string> {
  const marks = new Map<string, string>();
  const waiting = [''];
  while (waiting.length > 0 && marks.size < MOST_FILES) {
    const folder = waiting.shift() ?? '';
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== '.git' && !EXCLUDED_DIRECTORIES.includes(entry.name)) waiting.push(path);
      } else if (entry.isFile()) {
        const stat = statSync(join(root, path), { throwIfNoEntry: false });
        if (stat) marks.set(path, `${stat.size} ${stat.mtimeMs} ${stat.ino}`);
      }
    }
  }
  return marks;
}

/** The paths that differ, in order. */
export function changedPaths(before: TreeMarks, after: TreeMarks): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Undefined for what is gone, no file or too large. */
export function readKept(path: string): Buffer | undefined {
  try {
    return statSync(path).size > MAX_KEPT_BYTES ? undefined : readFileSync(path);
  } catch {
    // Gone, or not readable.
    return undefined;
  }
}

export function contentsOf(root: string, paths: readonly string[]): FileContent[] {
  return paths.map((path) => toContent(path, readKept(join(root, path))));
}

/** Writes the files of a recording below the root, with the folders of this machine. Throws for a path that leads elsewhere. */
export function writeContents(root: string, contents: readonly FileContent[], restore: (text: string) => string): void {
  for (const content of contents) {
    const path = join(root, content.path);
    if (relative(root, path).startsWith('..'))
      throw new Error(`The recording names a file outside its folder: ${content.path}`);
    const bytes = toBytes(content);
    if (bytes === undefined) rmSync(path, { force: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, restore(bytes.toString('latin1')), 'latin1');
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    // Not readable: as if empty.
    return [];
  }
}
