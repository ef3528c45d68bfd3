/**
 * One temporary folder for all that a run of the tests makes, removed at its end: also what
 * a test that fails, or a program that is killed, leaves behind. A run that was killed itself
 * is cleaned up after by the next one.
 */

import { chmodSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'castor-run-';

/** Called by Vitest before the workers start; they and their programs inherit the variables. */
export function setup(): () => void {
  const shared = realpathSync(tmpdir());
  removeAbandoned(shared);
  const folder = join(shared, `${PREFIX}${process.pid}`);
  remove(folder);
  mkdirSync(folder);
  // As the system's own: some tests become another user.
  chmodSync(folder, 0o1777);
  const names = ['TMPDIR', 'TEMP', 'TMP'];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    remove(folder);
  };
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
