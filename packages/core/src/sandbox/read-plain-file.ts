/** Reads a file that a command may have replaced: a pipe in its place does not block, and what is no file is empty. */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MAX_BYTES = 64 * 1024 * 1024;

export function readPlainBytes(path: string, maxBytes = MAX_BYTES): Buffer {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(descriptor);
      return found.isFile() && found.size <= maxBytes ? readFileSync(descriptor) : Buffer.alloc(0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

export function readPlainText(path: string): string {
  return readPlainBytes(path, 1_000_000).toString('utf8');
}
