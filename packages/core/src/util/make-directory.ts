/**
 * Makes a directory and what is missing above it. Node's own `recursive` never ends
 * where the system says of a parent that it is missing and of the same that it cannot
 * be made, as below /proc: a read-only home folder must not hang the program.
 */

// oxlint-disable-next-line no-restricted-imports -- every room that may write files needs it, and they share no other
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Throws what `mkdir` throws when it cannot be made; one that is there already is fine. */
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

/** With everything above it there; another process may have been faster. */
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
