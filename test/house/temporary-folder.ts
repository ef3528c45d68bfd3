/**
 * One temporary folder for all that a run of the tests makes, and one in memory for the tests beside the source, where the
 * system has room for it. Both are removed at its end: also what a test that fails, or a program that is killed, leaves
 * behind. A run that was killed itself is cleaned up after by the next one.
 */

import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAMES = ['TMPDIR', 'TEMP', 'TMP'];
const PREFIX = 'castor-run-';
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 * 1024 ** 3;

/** Variables that lead the tests of a project into memory; none where the system offers too little, or a disk in its place. */
export function inMemory(): Record<string, string> {
  if (!hasMemoryFolder()) return {};
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  return Object.fromEntries(NAMES.map((name) => [name, folder]));
}

/** Called by Vitest before the workers start; they and their programs inherit the variables. */
export function setup(): () => void {
  const folder = makeFolder(realpathSync(tmpdir()));
  const inMemory = hasMemoryFolder() ? makeFolder(MEMORY) : undefined;
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  for (const name of NAMES) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    remove(folder);
    if (inMemory !== undefined) remove(inMemory);
  };
}

function makeFolder(shared: string): string {
  removeAbandoned(shared);
  const folder = join(shared, `${PREFIX}${process.pid}`);
  remove(folder);
  mkdirSync(folder);
  // As the system's own: some tests become another user.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Containers often have a small one, or one that runs no programs. */
function hasMemoryFolder(): boolean {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === MEMORY);
    const [, , type, options] = mount?.split(' ') ?? [];
    if (type !== 'tmpfs' || !options || /\b(?:ro|noexec)\b/.test(options)) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED;
  } catch {
    return false;
  }
}

function removeAbandoned(shared: string): void {
  for (const name of readdirSync(shared)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) remove(join(shared, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Folders that tests made unreadable are removed as well; what belongs to somebody else stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    process.stderr.write(`castor: ${folder} could not be removed: ${(error as Error).message}\n`);
  }
}
