/**
 * Locks a file with a folder beside it, like Gemini CLI its project registry, because creating
 * a folder is atomic on every file system. A holder needs milliseconds (else: long-lock.ts); a
 * lock that stays unchanged is stale and is taken over. A guard beside it lets one process at a
 * time take over, so that none removes a lock another process has just taken.
 */

import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import type { Clock } from '../util/clock.ts';

/** A lock is stale when it stays unchanged for this long while this process waits. */
const UNCHANGED_MS = 500;
/** An older lock is stale at once; Gemini CLI refreshes its own every five seconds. */
const STALE_AGE_MS = 10_000;
const PATIENCE_MS = 15_000;

export interface FolderLockOptions {
  /** When a lock is stale. */
  unchangedMs: number;
  /** How long to wait for another holder. */
  patienceMs: number;
  /** Makes the release function once the lock is held. */
  hold(path: string): () => void;
}

/** Identifies the holder of a lock by file-system data: it differs for another folder, or for a refreshed one. */
type Identity = string | undefined;

/** Resolves with the release function. Rejects when the folder cannot be created, or its holder keeps refreshing it. */
export async function lockFolder(
  path: string,
  clock: Clock,
  { unchangedMs, patienceMs, hold }: FolderLockOptions = SHORT,
): Promise<() => void> {
  let seen: Identity;
  let unchangedFor = 0;
  for (let waited = 0; ;) {
    if (make(path)) return hold(path);
    const found = identify(path);
    unchangedFor = found === seen ? unchangedFor : 0;
    seen = found;
    const isStale = found !== undefined && (unchangedFor >= unchangedMs || isOld(path));
    if (isStale && takeOver(path, found)) return hold(path);
    if (waited > patienceMs) throw new Error(`${path} is held by another process.`);
    const pause = 5 + clock.random() * 20;
    waited += pause;
    unchangedFor += pause;
    await clock.sleep(pause);
  }
}

/** Returns whether this process now holds the lock. Synchronous between taking and releasing the guard. */
function takeOver(path: string, stale: Identity): boolean {
  const guard = `${path}.takeover`;
  if (!make(guard)) {
    // Left by a process that was killed during a take-over.
    if (isOld(guard)) remove(guard);
    return false;
  }
  try {
    // Another process may have taken the lock over between the check and the guard.
    if (identify(path) !== stale) return false;
    remove(path);
    return make(path);
  } finally {
    remove(guard);
  }
}

function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function identify(path: string): Identity {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.birthtimeNs} ${found.mtimeNs}`;
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_AGE_MS;
}

/** Removes a lock. A file, or a folder with files, belongs neither to Castor nor to Gemini CLI: it is moved aside, not deleted. */
export function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    renameSync(path, `${path}.old-${process.pid}-${Date.now()}`);
  }
}

/** The release function keeps a lock that another process has taken over in the meantime. */
function holdBriefly(path: string): () => void {
  const own = identify(path);
  return () => {
    if (identify(path) === own) remove(path);
  };
}

const SHORT: FolderLockOptions = { unchangedMs: UNCHANGED_MS, patienceMs: PATIENCE_MS, hold: holdBriefly };
