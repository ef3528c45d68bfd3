/**
 * One process at a time works in a session: `<session file>.lock` names it. It is a
 * link to nowhere whose target is the name, because a link is made whole or not at all;
 * a file where there are no links. The lock of a dead process is stale and is taken
 * over, by one process only. It guards against our own programs, not against a person.
 */

import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { sha256 } from '../util/sha256.ts';
import { makeDirectory } from '../util/make-directory.ts';

export interface LockHolder {
  pid: number;
  host: string;
  /** When the process began, in the units of the system: tells it from a later one with the same number. */
  startedAt?: string;
}

export interface SessionLock {
  release(): void;
}

/** A lock of another machine counts while its session is written to. */
const FOREIGN_LOCK_MS = 10 * 60_000;
/** Others may come and go between two looks, but not for ever. */
const MAX_ATTEMPTS = 1000;
/** The errors of file systems without links, or without permission for them. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'UNKNOWN']);
/** A lock without content is a file that is being written, unless it is old. */
const UNWRITTEN_LOCK_MS = 5_000;

export function lockPath(sessionPath: string): string {
  return `${sessionPath}.lock`;
}

/** The process that holds the session, or the lock of this one. Throws what the disk says. */
export function acquireLock(sessionPath: string): SessionLock | LockHolder {
  const path = lockPath(sessionPath);
  const own = JSON.stringify(describeSelf());
  makeDirectory(dirname(path));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (createExclusively(path, own)) return { release: () => releaseLock(path, own) };
    const found = read(path);
    if (found === undefined) continue;
    const holder = toLiveHolder(found, path, sessionPath);
    if (holder) return holder;
    if (takeOver(path, found, own)) return { release: () => releaseLock(path, own) };
  }
  throw new Error(`${path} can neither be created nor read. If it is not a lock of Castor, remove it.`);
}

/** The live process that works in the session, if any. Never throws. */
export function findLockHolder(sessionPath: string): LockHolder | undefined {
  const path = lockPath(sessionPath);
  const found = read(path);
  return found === undefined ? undefined : toLiveHolder(found, path, sessionPath);
}

function releaseLock(path: string, own: string): void {
  if (read(path) === own) rmSync(path, { force: true });
}

/**
 * Replaces the lock of a dead process. All who saw that same lock pass one gate, and
 * look again behind it, so that no process takes a lock that was taken over meanwhile. The
 * gate becomes the lock: a process that dies on the way leaves at most the gate, where
 * the next one meets it.
 */
function takeOver(path: string, stale: string, own: string): boolean {
  const gate = `${path}.${sha256(stale).slice(0, 12)}`;
  if (!createExclusively(gate, own)) {
    removeIfLeft(gate);
    return false;
  }
  const isStale = read(path) === stale;
  if (isStale) renameSync(gate, path);
  else rmSync(gate, { force: true });
  return isStale;
}

/** A process may die behind its gate. */
function removeIfLeft(gate: string): void {
  const holder = parseHolder(read(gate) ?? '');
  if (holder ? !isAlive(holder) : ageOf(gate) > UNWRITTEN_LOCK_MS) rmSync(gate, { force: true });
}

function createExclusively(path: string, content: string): boolean {
  try {
    symlinkSync(content, path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  return createFile(path, content);
}

function createFile(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  for (const readFrom of [(link: string) => readlinkSync(link), (file: string) => readFileSync(file, 'utf8')]) {
    try {
      return readFrom(path);
    } catch {
      // Not that kind of lock, or released between two looks.
    }
  }
  return undefined;
}

function toLiveHolder(content: string, path: string, sessionPath: string): LockHolder | undefined {
  const holder = parseHolder(content);
  if (!holder) return ageOf(path) < UNWRITTEN_LOCK_MS ? { pid: 0, host: hostname() } : undefined;
  if (holder.host !== hostname()) {
    return Math.min(ageOf(path), ageOf(sessionPath)) < FOREIGN_LOCK_MS ? holder : undefined;
  }
  return isAlive(holder) ? holder : undefined;
}

function parseHolder(content: string): LockHolder | undefined {
  try {
    const { pid, host, startedAt } = JSON.parse(content) as Partial<LockHolder>;
    if (!Number.isSafeInteger(pid) || typeof host !== 'string') return undefined;
    return { pid: pid as number, host, ...(typeof startedAt === 'string' && { startedAt }) };
  } catch {
    // An unreadable lock names no process.
    return undefined;
  }
}

function isAlive({ pid, startedAt }: LockHolder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Alive, and owned by another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const current = readStartTime(pid);
  return startedAt === undefined || current === undefined || current === startedAt;
}

function describeSelf(): LockHolder {
  const startedAt = readStartTime('self');
  return { pid: process.pid, host: hostname(), ...(startedAt !== undefined && { startedAt }) };
}

/** Linux only; elsewhere the number of the process has to do. A process that ended and waits for its parent has none. */
function readStartTime(pid: number | 'self'): string | undefined {
  const stat = process.platform === 'linux' ? read(`/proc/${pid}/stat`) : undefined;
  // The name in brackets may hold anything, blanks too.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? '' : fields?.[19];
}

function ageOf(path: string): number {
  try {
    return Date.now() - lstatSync(path).mtimeMs;
  } catch {
    // Gone meanwhile: as old as can be.
    return Number.POSITIVE_INFINITY;
  }
}
