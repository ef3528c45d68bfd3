/**
 * The session's own folder of a sandbox: its /tmp, the arguments of bubblewrap, the filter and the empty file that covers
 * hidden ones. Only the user may enter it. Folders of programs that are gone are removed.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';

const PREFIX = 'castor-sandbox-';

export class SessionFolder {
  readonly path: string;
  readonly temporary: string;
  readonly emptyFile: string;

  constructor(parent: string = tmpdir()) {
    removeAbandoned(parent);
    this.path = join(parent, `${PREFIX}${process.pid}-${builtin.crypto.randomBytes(6).toString('hex')}`);
    // Fails where another program planted it.
    mkdirSync(this.path, { mode: 0o700 });
    this.temporary = join(this.path, 'tmp');
    mkdirSync(this.temporary, { mode: 0o700 });
    this.emptyFile = join(this.path, 'hidden');
    writeFileSync(this.emptyFile, '', { mode: 0o000, flag: 'wx' });
  }

  /** The same content has the same name, so that a file that a command reads is never changed. */
  write(name: string, content: Uint8Array | string): string {
    const digest = builtin.crypto.createHash('sha256').update(content).digest('hex').slice(0, 16);
    const path = join(this.path, `${name}-${digest}`);
    try {
      writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 2 });
  }
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Descriptors of this program that a child would inherit though nothing passes them on. */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  } catch {
    return [];
  }
}

const CLOSE_ON_EXEC = 0o2000000;

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
