/**
 * Locks a session for one process at a time: `<session file>.lock` names the holder. The lock
 * is a dangling link whose target is that name, because creating a link is atomic; on file
 * systems without links it is a file. The lock of a dead process is stale, and exactly one
 * process takes it over. It guards against our own programs, not against the user.
 */

import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { sha256 } from '../util/sha256.ts';
import { makeDirectory } from '../util/make-directory.ts';

export interface LockHolder {
  pid: number;
  host: string;
  /** When the process started, in the system's units: distinguishes it from a later one with the same pid. */
  startedAt?: string;
}

export interface SessionLock {
  release(): void;
}

/** A lock of another machine is valid while its session is being written to. */
const FOREIGN_LOCK_MS = 10 * 60_000;
/** Other processes may take and release the lock between two attempts, but not forever. */
const MAX_ATTEMPTS = 1000;
/** The errors of file systems without links, or without permission for them. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'UNKNOWN']);
/** An empty lock is a file that is being written, unless it is old. */
const UNWRITTEN_LOCK_MS = 5_000;

export function lockPath(sessionPath: string): string {
  return `${sessionPath}.lock`;
}

/** Returns this process's lock, or the process that holds the session. Throws file-system errors. */
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

/** The live process that holds the session, if any. Never throws. */
export function findLockHolder(sessionPath: string): LockHolder | undefined {
  const path = lockPath(sessionPath);
  const found = read(path);
  return found === undefined ? undefined : toLiveHolder(found, path, sessionPath);
}

function releaseLock(path: string, own: string): void {
  if (read(path) === own) rmSync(path, { force: true });
}

/**
 * Replaces the lock of a dead process. All processes that saw the stale lock pass one gate
 * and check again behind it, so that none replaces a lock that was taken over in the
 * meantime. The gate becomes the lock: a process that dies on the way leaves at most the
 * gate, and the next process removes it.
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

/** A process may die while it holds the gate. */
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
      // Not that kind of lock, or released in the meantime.
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

/** Linux only; elsewhere the pid must suffice. A zombie process has none. */
function readStartTime(pid: number | 'self'): string | undefined {
  const stat = process.platform === 'linux' ? read(`/proc/${pid}/stat`) : undefined;
  // The name in brackets may contain any character, including blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? '' : fields?.[19];
}

function ageOf(path: string): number {
  try {
    return Date.now() - lstatSync(path).mtimeMs;
  } catch {
    // Removed in the meantime: counts as infinitely old.
    return Number.POSITIVE_INFINITY;
  }
}
