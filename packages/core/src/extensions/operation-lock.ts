/**
 * Lets one process at a time change the installed extensions: a link that names its id, because a link is created with its
 * content at once. It is taken over once that process has ended.
 */

import { readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import type { Clock } from '../util/clock.ts';
import { ExtensionError } from './extension-error.ts';

const PATIENCE_MS = 20_000;

/** Resolves with the release function. Throws an ExtensionError when another process keeps the lock. */
export async function lockOperations(path: string, clock: Clock): Promise<() => void> {
  makeDirectory(dirname(path));
  for (let waited = 0; ;) {
    if (tryLock(path)) return () => unlinkSync(path);
    if (waited > PATIENCE_MS) {
      throw new ExtensionError(
        `Another process (${readHolder(path)}) is changing extensions. If none is, remove ${path}`,
      );
    }
    const pause = 10 + clock.random() * 20;
    waited += pause;
    await clock.sleep(pause);
  }
}

/** Whether this process now holds the lock. */
export function tryLock(path: string): boolean {
  if (take(path)) return true;
  const holder = readHolder(path);
  if (holder === undefined || isAlive(holder)) return false;
  removeStale(path, holder);
  return take(path);
}

function take(path: string): boolean {
  try {
    symlinkSync(`${process.pid}`, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Only one process can move the file of a dead holder away. */
function removeStale(path: string, holder: number): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    // A new holder was faster: its file goes back.
    if (readHolder(aside) === holder) unlinkSync(aside);
    else renameSync(aside, path);
  } catch {
    // Another process moved it.
  }
}

function readHolder(path: string): number | undefined {
  try {
    const id = Number(readlinkSync(path));
    return Number.isInteger(id) && id > 0 ? id : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
