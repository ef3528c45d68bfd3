/**
 * The head: the last line of the log as its writer left it, kept apart, so that a cut tail is noticed. Every process
 * writes one, so it carries a code made with the secret of the signing key, which costs a hash; an export carries a
 * signature, which can be checked without the key.
 */

import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { isRecord } from '../util/is-record.ts';
import { sha256 } from '../util/sha256.ts';
import type { ChainEnd } from './chain-line.ts';

export interface HeadRecord extends ChainEnd {
  /** Absent until there is a key. */
  code?: string | undefined;
  /** In an export, in place of the code. */
  signature?: string | undefined;
  /** The line of the latest signature in the log, and when it was made. */
  signedAt: number;
  signedTime?: string | undefined;
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
  const { seq, hash, signedAt } = value;
  if (typeof seq !== 'number' || typeof hash !== 'string') return undefined;
  return {
    ...{ seq, hash, signedAt: Number(signedAt) || 0 },
    ...{ code: textOf(value['code']), signature: textOf(value['signature']), signedTime: textOf(value['signedTime']) },
  };
}

/** Written after the log: a killed program leaves a head that is older, never newer. */
export function writeHead(file: string, head: HeadRecord, secret: string | undefined): void {
  const { seq, hash, signedAt, signedTime } = head;
  const code = secret === undefined ? undefined : codeOf(head, secret);
  const text = JSON.stringify({ seq, hash, code, signedAt, signedTime });
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    // In place and of one length: a file system forces the data of a replaced file to the disk, which takes milliseconds.
    writeSync(handle, `${text.padEnd(HEAD_LENGTH)}\n`, 0);
  } finally {
    closeSync(handle);
  }
}

/** Whether the head was written with this secret. */
export function isOwnHead(head: HeadRecord, secret: string): boolean {
  return head.code === codeOf(head, secret);
}

/** Hashed twice, so that no text can be added to a known code. */
function codeOf({ seq, hash, signedAt, signedTime }: HeadRecord, secret: string): string {
  const inner = sha256(`castor head\n${secret}\n${seq}\n${hash}\n${signedAt}\n${signedTime ?? ''}\n`);
  return sha256(`castor head\n${secret}\n${inner}\n`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
