/** The head: the last line of the log as its writer left it, signed and kept apart, so that a cut tail is noticed. */

import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { isRecord } from '../util/is-record.ts';
import type { AuditKeys } from './audit-keys.ts';
import type { ChainEnd } from './chain-line.ts';

export interface HeadRecord extends ChainEnd {
  key: string;
  signature: string;
  /** The line of the latest signature in the log. */
  signedAt: number;
}

const HEAD_LENGTH = 511;

/** Undefined where there is none; `damaged` for a file that is no head. */
export function readHead(file: string): HeadRecord | 'damaged' | undefined {
  try {
    return toHead(JSON.parse(readFileSync(file, 'utf8'))) ?? 'damaged';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged';
  }
}

export function toHead(value: unknown): HeadRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { seq, hash, key, signature, signedAt } = value;
  const isHead = typeof seq === 'number' && typeof hash === 'string' && typeof signature === 'string';
  return isHead ? { seq, hash, signature, key: String(key), signedAt: Number(signedAt) || 0 } : undefined;
}

/** Written after the log: a killed program leaves a head that is older, never newer. */
export function writeHead(file: string, end: ChainEnd, keys: AuditKeys, signedAt: number): void {
  const head: HeadRecord = { seq: end.seq, hash: end.hash, key: keys.id, signature: keys.sign(end), signedAt };
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    // In place and of one length: a file system forces the data of a replaced file to the disk, which takes milliseconds.
    writeSync(handle, `${JSON.stringify(head).padEnd(HEAD_LENGTH)}\n`, 0);
  } finally {
    closeSync(handle);
  }
}
