/**
 * The temporary files of atomic writes: their names, and the removal of those that a
 * process killed in the middle of a write left in a person's folder. A name says who made
 * it; nothing is removed while its maker may still be at work.
 */

import { readlinkSync } from 'node:fs';
import { lstat, readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { builtin } from '../../util/builtin-modules.ts';
import { sha256 } from '../../util/sha256.ts';

const NAME = /^\.castor-(?<place>[0-9a-f]{8})-(?<pid>\d{1,10})-[0-9a-f]{18}\.tmp$/;

/** No write takes that long, wherever its process may run. */
const SURELY_ABANDONED_MS = 24 * 60 * 60_000;

/** One look at a folder is enough: what this process leaves behind is for the next. */
const looked = new Set<string>();

let place: string | undefined;

export function temporaryName(): string {
  return `.castor-${ownPlace()}-${process.pid}-${builtin.crypto.randomBytes(9).toString('hex')}.tmp`;
}

/** After a write into `folder`, to which `base` is the way. Never fails: what cannot be removed stays. */
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
  // The folder was changed just now, by the clock of the disk it is on, which need not be ours.
  const { mtimeMs: now } = await stat(base);
  return now - found.mtimeMs > SURELY_ABANDONED_MS;
}

/** Process ids mean something only where they were given: on one machine, in one container. */
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
    // Another user's process may not be signalled, but it exists.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
