/**
 * Provides the policy room's only access to the disk: real paths, whole small files,
 * ownership, and atomic replacement of a file. Nothing else in this room touches the file
 * system.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ENVIRONMENT_FILE } from '../util/environment-file.ts';
import { replaceFile } from '../util/replace-file.ts';

/** The real path of the deepest existing part, with the rest as written. Never throws. */
export function realPathOf(path: string): string {
  let existing = resolve(path);
  const rest: string[] = [];
  for (;;) {
    const real = realPathOfEntry(existing, rest.length < MAX_LINKS);
    if (real !== undefined) return join(real, ...rest);
    const parent = dirname(existing);
    if (parent === existing) return resolve(path);
    rest.unshift(basename(existing));
    existing = parent;
  }
}

const MAX_LINKS = 64;

/** Undefined for what is missing or unreadable. A link with a missing target still shows where a write would go. */
function realPathOfEntry(path: string, followsLink: boolean): string | undefined {
  try {
    // A missing entry is the usual case, and an error for it would cost more than the question.
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return undefined;
    if (!entry.isSymbolicLink() || !followsLink) return realpathSync.native(path);
    return realPathOfTarget(path) ?? resolve(realpathSync.native(dirname(path)), readlinkSync(path));
  } catch {
    // An entry whose folder may not be searched is as good as missing.
    return undefined;
  }
}

function realPathOfTarget(link: string): string | undefined {
  try {
    return realpathSync.native(link);
  } catch {
    return undefined;
  }
}

/** Undefined when the file is missing; other errors are thrown unchanged. */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export interface FileFacts {
  kind: 'file' | 'directory' | 'other';
  owner: number;
  mode: number;
}

/** Facts on the link's target; undefined when it is missing. */
export function fileFacts(path: string): FileFacts | undefined {
  try {
    // An error would cost more than the question.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return {
      kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
      owner: stat.uid,
      mode: stat.mode & 0o7777,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Sorted names of the policy files in a folder; empty when the folder is missing. */
export function listTomlFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.toml') && !name.startsWith('.'))
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Readable by the owner only from the first byte; the old content stays complete until the new one is on disk. */
export function replaceTextFile(path: string, text: string): void {
  replaceFile(realPathOf(path), text);
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Undefined when the folder cannot be read. */
export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

/** The file of environment variables that a path is another hard link to, among those beside it, above it and at home. */
export function environmentFileLinkedBy(path: string, home: string): string | undefined {
  const own = identityOf(path);
  if (own === undefined || own.links < 2) return undefined;
  const folders = [home];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders
    .flatMap((folder) => (entriesOf(folder) ?? []).map(({ name }) => join(folder, name)))
    .filter((candidate) => ENVIRONMENT_FILE.test(basename(candidate)))
    .find((candidate) => identityOf(candidate)?.id === own.id);
}

function identityOf(path: string): { id: string; links: number } | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && { id: `${stat.dev}:${stat.ino}`, links: stat.nlink };
  } catch {
    return undefined;
  }
}
