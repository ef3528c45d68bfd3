/**
 * Creates a directory and its missing parents. Node's own `recursive` never returns where the
 * system reports a parent as missing and also fails to create it, as below /proc: a read-only
 * home folder must not hang the program.
 */

// oxlint-disable-next-line no-restricted-imports -- every room that may write files needs it, and they share no other
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Throws the error of `mkdir` when it fails; an existing directory is fine. */
export function makeDirectory(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) {
      makeDirectory(dirname(path), mode);
      makeLast(path, mode);
    } else if (!isDirectory(path)) {
      throw error;
    }
  }
}

/** Creates the directory when all parents exist; another process may have been faster. */
function makeLast(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
