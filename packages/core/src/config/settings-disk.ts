/**
 * Reads small regular settings files completely, and replaces them so that a reader never sees
 * half of one. An existing file that is unreadable is an error, never a missing file: its
 * restrictions would not be in force.
 */

import { isUtf8 } from 'node:buffer';
import { fchmodSync, fchownSync, readFileSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { SettingsError } from './settings-error.ts';
import { replaceFile } from '../util/replace-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export interface SettingsFile {
  /** Includes the byte order mark. */
  text: string;
  stat: Stats;
  /** False when `text` does not preserve all bytes. */
  isUtf8: boolean;
}

/** Undefined for a missing file. Throws a SettingsError for an unreadable one. */
export function readSettingsFile(path: string): SettingsFile | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    // Users point to a device such as /dev/null to disable the file.
    if (stat.isCharacterDevice()) return undefined;
    refuseOdd(path, stat);
    const bytes = readFileSync(path);
    if (/^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))) {
      throw new SettingsError(`${path} is UTF-16 text. Save it as UTF-8.`, { path });
    }
    return { text: bytes.toString('utf8'), stat, isUtf8: isUtf8(bytes) };
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return undefined;
    const reason = READ_FAILURES[code] ?? `reading it failed (${code || String(error)})`;
    throw new SettingsError(`${path} is not readable: ${reason}. Correct that, or remove the file.`, {
      path,
      cause: error,
    });
  }
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links form a cycle',
  ENAMETOOLONG: 'its name is too long',
};

function refuseOdd(path: string, stat: Stats): void {
  if (stat.isDirectory()) {
    throw new SettingsError(`${path} is a folder. A settings file is expected there: move the folder away.`, { path });
  }
  if (!stat.isFile()) throw new SettingsError(`${path} is not a regular file, so Castor ignores it.`, { path });
  if (stat.size > MAX_BYTES) {
    const megabytes = (stat.size / (1024 * 1024)).toFixed(1);
    throw new SettingsError(`${path} has ${megabytes} MB, and the limit for settings is 4 MB.`, { path });
  }
}

/** Whether only the administrator or this user could have written it. True on systems without file owners. */
export function isOwnedByUserOrRoot({ uid, mode }: Stats): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  return (uid === 0 || uid === user) && (mode & 0o022) === 0;
}

/**
 * Replaces a file through its links; keeps its mode and, where permitted, its owner. The old
 * content stays complete until the new one is on disk.
 */
export function replaceSettingsFile(path: string, text: string): void {
  const target = targetOf(path);
  const old = statSync(target, { throwIfNoEntry: false });
  replaceFile(target, text, { prepare: (handle) => old && keepModeAndOwner(handle, old) });
}

function keepModeAndOwner(handle: number, { mode, uid, gid }: Stats): void {
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) {
    try {
      fchownSync(handle, uid, gid);
    } catch {
      // Only root may change the owner; the content matters more.
    }
  }
  fchmodSync(handle, mode & 0o7777);
}

function targetOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return path;
  }
}
