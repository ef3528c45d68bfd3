/** The bytes of a session file: a regular one, of bounded length, that belongs to the person who asks. */

import { readFileSync, statSync } from 'node:fs';
import { getErrorMessage } from '../protocol/errors.ts';
import { SessionError } from './session-error.ts';

/** It is read whole: what is longer is no session of a person. */
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
    throw new SessionError('invalid', `The session file ${path} cannot be read: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

function assertRegular(path: string): { size: number; uid: number } {
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error('it is not a regular file');
  return stat;
}
