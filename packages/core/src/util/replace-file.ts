/**
 * Replaces a file atomically, so that a reader never sees half of it: the old content stays
 * complete until the new one is written, and an unfinished file is removed. Readable by the
 * owner only, from the first byte.
 */

// oxlint-disable-next-line no-restricted-imports -- every room that may write files needs it, and they share no other
import { closeSync, constants, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from './make-directory.ts';

let counter = 0;

export interface ReplaceFileOptions {
  /** Receives the new file before it replaces the old one. */
  prepare?: (handle: number) => void;
  /** Set false for content not worth waiting for the disk: after a power cut it may be empty. Default true. */
  isSynced?: boolean;
}

/** Creates a missing folder. Throws file-system errors. */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { prepare, isSynced = true }: ReplaceFileOptions = {},
): void {
  makeDirectory(dirname(path));
  const { handle, temporary } = openBeside(path);
  try {
    try {
      // Not `writeSync`: on a disk that fills up it writes a part and reports success.
      writeFileSync(handle, content);
      prepare?.(handle);
      if (isSynced) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

/** In a container process ids repeat, and with them the temporary name of a killed process. */
function openBeside(path: string): { handle: number; temporary: string } {
  for (;;) {
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${counter++}.tmp`);
    try {
      const handle = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      return { handle, temporary };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
