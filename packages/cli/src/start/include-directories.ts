/**
 * Resolves the additional folders of a run: the existing ones. A missing folder is reported, and tools never create it.
 */

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
    // A folder the user cannot read does not exist for the tools either.
    return false;
  }
}
