/**
 * Tells whether a step failed because nothing can be written any more. The task is not to blame then, and the next one would fail as
 * well: the error ends the worker, and the task waits for the next.
 */

import { closeSync, openSync, readSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** Of the system, in the output of a program. */
const WORDS = /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/;
/** Less than this is no room, whatever a program said. */
const LEAST_BYTES = 64 * 1024;
/** A program that said so may have removed what it wrote; a test may also print such words. */
const LITTLE_BYTES = 256 * 1024 * 1024;
/** Of the end of an output. */
const READ_BYTES = 64 * 1024;

/** Also git tells it in words only. */
export function isFullDisk(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return CODES.has(code) || WORDS.test(message);
}

export interface Suspicion {
  /** Of the task: may be written to. */
  own: string;
  /** Where else it writes. */
  folders: readonly (string | undefined)[];
  /** Paths of what its program has written. */
  outputs: readonly string[];
}

/** Throws the system's error where the disk is full. For a step that failed. */
export function blameFullDisk({ own, folders, outputs }: Suspicion): void {
  const said = outputs.some((path) => WORDS.test(endOf(path)));
  for (const folder of [own, ...folders]) {
    const room = folder === undefined ? Infinity : roomIn(folder);
    if (room < LEAST_BYTES || (said && room < LITTLE_BYTES)) throw fullDisk(folder ?? '');
  }
  // A quota is known only to who writes.
  const probe = join(own, 'room');
  try {
    writeFileSync(probe, Buffer.alloc(LEAST_BYTES), { mode: 0o600 });
  } finally {
    rmSync(probe, { force: true });
  }
}

function fullDisk(folder: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device: ${folder}`), { code: 'ENOSPC' });
}

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // It is gone, or the system does not tell.
    return Infinity;
  }
}

function endOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return '';
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(size, READ_BYTES));
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, size - buffer.length));
  } finally {
    closeSync(file);
  }
}
