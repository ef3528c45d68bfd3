/** Reads the bytes of a session file: a regular file of bounded length that belongs to the user. */

import { readFileSync, statSync } from 'node:fs';
import { getErrorMessage } from '../protocol/errors.ts';
import { SessionError } from './session-error.ts';

/** The file is read whole; a longer one is rejected. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Throws SessionError. */
export function readSessionFile(path: string): Buffer {
  try {
    const { size, uid } = assertRegular(path);
    if (size > MAX_BYTES) throw new Error('it is longer than 1 GiB');
    const self = process.getuid?.();
    if (self !== undefined && self !== 0 && uid !== self) throw new Error('it belongs to another user');
    return readFileSync(path);
  } catch (error) {
    throw new SessionError('invalid', `The session file ${path} is not readable: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

function assertRegular(path: string): { size: number; uid: number } {
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error('it is not a regular file');
  return stat;
}
