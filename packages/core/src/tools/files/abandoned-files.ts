/**
 * Names the temporary files of atomic writes and removes those that a process killed
 * during a write left in the user's folder. Each name identifies its process; a file is
 * never removed while that process may still be writing.
 */

import { readlinkSync } from 'node:fs';
import { lstat, readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { builtin } from '../../util/builtin-modules.ts';
import { sha256 } from '../../util/sha256.ts';

const NAME = /^\.castor-(?<place>[0-9a-f]{8})-(?<pid>\d{1,10})-[0-9a-f]{18}\.tmp$/;

/** Longer than any write takes, on whatever machine its process runs. */
const SURELY_ABANDONED_MS = 24 * 60 * 60_000;

/** Folders already checked: once is enough, because the next process removes the leftovers of this one. */
const looked = new Set<string>();

let place: string | undefined;

export function temporaryName(): string {
  return `.castor-${ownPlace()}-${process.pid}-${builtin.crypto.randomBytes(9).toString('hex')}.tmp`;
}

/** Called after a write into `folder`; `base` is the path to it. Never fails: files that cannot be removed stay. */
export async function removeAbandoned(base: string, folder: string): Promise<void> {
  if (looked.has(folder)) return;
  looked.add(folder);
  const names = (await readdir(base).catch(() => [])).filter((name) => NAME.test(name));
  for (const name of names) {
    const file = path.join(base, name);
    if (await isAbandoned(file, base).catch(() => false)) await unlink(file).catch(() => {});
  }
}

async function isAbandoned(file: string, base: string): Promise<boolean> {
  const { place: madeAt, pid } = NAME.exec(path.basename(file))?.groups ?? {};
  const found = await lstat(file);
  if (!found.isFile()) return false;
  if (madeAt === ownPlace() && !isRunning(Number(pid))) return true;
  // The write just changed the folder, so its mtime is the current time of its disk's clock, which may differ from ours.
  const { mtimeMs: now } = await stat(base);
  return now - found.mtimeMs > SURELY_ABANDONED_MS;
}

/** Process ids are unique only within one machine or container. */
function ownPlace(): string {
  place ??= sha256(`${hostname()} ${processNamespace()}`).slice(0, 8);
  return place;
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Signalling another user's process is not permitted, but the process exists.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
