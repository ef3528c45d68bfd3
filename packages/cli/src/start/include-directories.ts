/** The further folders of a run: those that are there. One that is not is said to be missing, never made by a tool. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';

export function findDirectories(
  named: readonly string[],
  cwd: string,
): { directories: readonly string[]; warnings: string[] } {
  const wanted = [...new Set(named.filter((path) => path !== '').map((path) => resolve(cwd, path)))];
  const directories = wanted.filter((path) => path !== cwd && isDirectory(path));
  const missing = wanted.filter((path) => path !== cwd && !directories.includes(path));
  const warnings = missing.map(
    (path) => `${path} was skipped: the folder does not exist (--include-directories, context.includeDirectories).`,
  );
  return { directories, warnings };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // What one may not look at is not there for the tools either.
    return false;
  }
}
