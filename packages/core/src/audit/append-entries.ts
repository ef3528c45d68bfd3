/**
 * Appends entries to the log of a user while it is locked: finds the end of the chain, which another process may have
 * moved, continues it, and writes the new head. Synchronous, so that nothing comes between.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { sha256 } from '../util/sha256.ts';
import type { AuditEntry, LogEntry } from './audit-entry.ts';
import { openKeys, readSecret } from './audit-keys.ts';
import { logFiles } from './audit-place.ts';
import type { AuditPlace } from './audit-place.ts';
import { NO_HASH, readLine, writeLine } from './chain-line.ts';
import type { ChainEnd } from './chain-line.ts';
import { readHead, writeHead } from './head-record.ts';
import type { HeadRecord } from './head-record.ts';

export interface TimedEntry {
  at: string;
  entry: AuditEntry;
}

/** The end of the log as this process left it: while its file has this size, no other process has written. */
export interface LogEnd {
  file: string;
  size: number;
  end: ChainEnd;
}

/**
 * A signature at least after this many lines, at the end of each process that decided something, and of any process when
 * the latest is this old. Signing loads Node's cryptography, which would be a tenth of a run that only answers.
 */
const SIGNED_EVERY = 100;
const SIGNED_EVERY_MS = 10 * 60_000;
const TAIL_BYTES = 64 * 1024;
const START: ChainEnd = { seq: 0, hash: NO_HASH };

export interface AppendOptions {
  known?: LogEnd | undefined;
  /** The process writes no more. */
  isLast?: boolean;
  /** The process recorded more than connections. */
  hasDecided?: boolean;
}

/** Throws file-system errors; nothing is appended then. */
export function appendEntries(
  place: AuditPlace,
  entries: readonly TimedEntry[],
  { known, isLast = false, hasDecided = true }: AppendOptions = {},
): LogEnd | undefined {
  const [first] = entries;
  const at = entries.at(-1)?.at ?? new Date().toISOString();
  makeDirectory(place.logs);
  makeDirectory(dirname(place.headFile));
  const newest = logFiles(readdirSync(place.logs)).at(-1);
  const tail = readTail(place, newest, known);
  const head = readHead(place.headFile);
  // Only while nothing is in the log may there be no head: from now on its absence shows that it was removed.
  if (head === undefined && tail.end.seq === 0) writeHead(place.headFile, { ...START, signedAt: 0 }, readSecret(place));
  const isHeadless = typeof head !== 'object' && (tail.end.seq > 0 || existsSync(place.keyFile));
  // A log that ends before its head was cut: the chain goes on after the head, so that the gap stays visible.
  const start = typeof head === 'object' && head.seq > tail.end.seq ? head : tail.end;
  let { signedAt, signedTime }: Pick<HeadRecord, 'signedAt' | 'signedTime'> =
    typeof head === 'object' ? head : { signedAt: 0 };

  const lines: string[] = [];
  let end: ChainEnd = { seq: start.seq, hash: start.hash };
  const add = (entry: AuditEntry | LogEntry, time: string) => {
    const written = writeLine(end, entry, { at: time, pid: process.pid });
    lines.push(written.text);
    end = written.end;
  };
  if (tail.torn) add({ kind: 'torn', ...tail.torn }, first?.at ?? at);
  if (isHeadless) add({ kind: 'headless' }, first?.at ?? at);
  for (const { at: time, entry } of entries) add(entry, time);
  if (isSignatureDue(end.seq - signedAt, { signedTime, at, isLast, hasDecided })) {
    const keys = openKeys(place);
    add({ kind: 'signature', key: keys.id, signature: keys.sign(end) }, at);
    signedAt = end.seq;
    signedTime = at;
  }
  if (lines.length === 0) return known;
  // A clock that was set back must not put lines before older ones.
  const today = `${(first?.at ?? at).slice(0, 10)}.jsonl`;
  const file = newest !== undefined && newest > today ? newest : today;
  const isContinued = file === newest && tail.torn !== undefined;
  const size = writeLines(join(place.logs, file), `${isContinued ? '\n' : ''}${lines.join('\n')}\n`);
  writeHead(place.headFile, { ...end, signedAt, signedTime }, readSecret(place));
  return { file, size, end };
}

interface DueFacts extends Required<Pick<AppendOptions, 'isLast' | 'hasDecided'>> {
  signedTime: string | undefined;
  at: string;
}

function isSignatureDue(unsigned: number, { signedTime, at, isLast, hasDecided }: DueFacts): boolean {
  if (unsigned >= SIGNED_EVERY) return true;
  if (unsigned <= 0 || !isLast) return false;
  const isOld = signedTime !== undefined && Math.abs(Date.parse(at) - Date.parse(signedTime)) >= SIGNED_EVERY_MS;
  return hasDecided || isOld;
}

interface Tail {
  end: ChainEnd;
  /** What a killed writer left of its last line. */
  torn?: { bytes: number; sha256: string } | undefined;
}

function readTail(place: AuditPlace, newest: string | undefined, known: LogEnd | undefined): Tail {
  if (newest === undefined) return { end: START };
  const path = join(place.logs, newest);
  if (known?.file === newest && statSync(path).size === known.size) return { end: known.end };
  const text = readEnd(path);
  const cut = text.lastIndexOf('\n') + 1;
  const rest = text.slice(cut);
  const torn = rest === '' ? undefined : { bytes: Buffer.byteLength(rest), sha256: sha256(rest) };
  const lines = text.slice(0, cut).split('\n').reverse();
  for (const line of lines) {
    const found = readLine(line)?.line;
    if (found) return { end: { seq: found.seq, hash: found.hash }, torn };
  }
  // Not a single line of it is whole, which the head or the check of the log tells.
  return { end: START, torn };
}

function readEnd(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const count = readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.subarray(0, count).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

/** Returns the size of the file. A failed write leaves no part of a line. */
function writeLines(path: string, text: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = openSync(path, flags, 0o600);
  try {
    const { size, mode } = fstatSync(handle);
    if ((mode & 0o077) !== 0) fchmodSync(handle, 0o600);
    try {
      // Not `writeSync`: on a disk that fills up it writes a part and reports success.
      writeFileSync(handle, text);
    } catch (error) {
      ftruncateSync(handle, size);
      throw error;
    }
    return fstatSync(handle).size;
  } finally {
    closeSync(handle);
  }
}
