/**
 * The lock of the project registry: a folder, as Gemini CLI's is one, since making it is
 * atomic on every file system. A holder needs milliseconds; a lock that stays unchanged
 * for half a second was left behind and is taken over. A guard beside it lets one
 * process at a time do that, so that none removes the lock another has just taken.
 */

import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import type { Clock } from '../util/clock.ts';

/** Unchanged for so long while this process waits, a lock is stale. */
const UNCHANGED_MS = 500;
/** Older than this, it is stale at first sight; Gemini CLI refreshes its own every five seconds. */
const STALE_AGE_MS = 10_000;
const PATIENCE_MS = 15_000;

/** The holder of a lock as far as the file system knows it: another folder, or the same one refreshed, differs. */
type Identity = string | undefined;

/** Resolves with the release. Rejects when the folder cannot be made, or its holder keeps refreshing it. */
export async function lockRegistry(path: string, clock: Clock): Promise<() => void> {
  let seen: Identity;
  let unchangedFor = 0;
  for (let waited = 0; ;) {
    if (make(path)) return releaseOf(path);
    const found = identify(path);
    unchangedFor = found === seen ? unchangedFor : 0;
    seen = found;
    const isStale = found !== undefined && (unchangedFor >= UNCHANGED_MS || isOld(path));
    if (isStale && takeOver(path, found)) return releaseOf(path);
    if (waited > PATIENCE_MS) throw new Error(`${path} is held by another process.`);
    const pause = 5 + clock.random() * 20;
    waited += pause;
    unchangedFor += pause;
    await clock.sleep(pause);
  }
}

/** Whether the lock is this process's now. What is between the guard and its release happens without a pause. */
function takeOver(path: string, stale: Identity): boolean {
  const guard = `${path}.takeover`;
  if (!make(guard)) {
    // Left by a process that was killed in the middle of a take-over.
    if (isOld(guard)) remove(guard);
    return false;
  }
  try {
    // Another process may have taken it over between the judgement and the guard.
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

function identify(path: string): Identity {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.birthtimeNs} ${found.mtimeNs}`;
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_AGE_MS;
}

/** Only ever an empty folder: a lock with files in it is not one of ours or of Gemini CLI's. */
function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Leaves a lock alone that another process has taken over meanwhile. */
function releaseOf(path: string): () => void {
  const own = identify(path);
  return () => {
    if (identify(path) === own) remove(path);
  };
}
