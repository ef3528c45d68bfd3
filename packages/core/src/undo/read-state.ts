/**
 * Reads the state of one path of the workspace: its kind, mode and content. Never follows a link, never blocks on a pipe,
 * and tells a file that changes while it is read.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { toSystemPath } from './byte-path.ts';
import { unkeptContent } from './tree-state.ts';
import type { FileState, TreeState, Unkept } from './tree-state.ts';

const MODE_BITS = 0o7777;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const ATTEMPTS = 3;

const ABSENT_IS_UNDEFINED = { throwIfNoEntry: false } as const;

let room = Buffer.allocUnsafe(1024 * 1024);

/** Takes a content and returns its name, or why it is not kept. */
export type Keep = (bytes: Buffer) => string;

export function modeOf({ mode }: Stats): number {
  return mode & MODE_BITS;
}

/** Null for an absent path; also where a parent is no folder. */
export function lstatOf(path: string): Stats | null {
  try {
    return lstatSync(toSystemPath(path), ABSENT_IS_UNDEFINED) ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENOENT') return null;
    throw error;
  }
}

/** The same, and undefined for a path that cannot be looked up: a folder above it is closed. */
export function lookAt(path: string): Stats | null | undefined {
  try {
    return lstatOf(path);
  } catch {
    return undefined;
  }
}

/** The state of a path that `lstat` described. `limit`: a larger file is not read. */
export function readState(path: string, found: Stats | null, keep: Keep, limit: number): TreeState {
  if (!found) return null;
  if (found.isDirectory()) return { kind: 'folder', mode: modeOf(found) };
  if (found.isSymbolicLink()) return readLink(path);
  if (!found.isFile()) return { kind: 'other' };
  return readFile(path, found, keep, limit);
}

export function readLink(path: string): TreeState {
  try {
    return { kind: 'link', target: readlinkSync(toSystemPath(path), { encoding: 'latin1' }) };
  } catch {
    // Replaced in the meantime.
    return null;
  }
}

/** Null for a file that is gone in the meantime. */
export function readFile(path: string, found: Stats, keep: Keep, limit: number): FileState | null {
  const unkept = (reason: Unkept): FileState => ({
    ...fileState(found),
    content: unkeptContent(reason, found.size, found.mtimeMs),
  });
  if (found.size > limit) return unkept('large');
  // Mostly it is still as it was found: one look after reading it then proves that, and saves one before.
  let known: Stats | undefined = found;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let file: number;
    try {
      file = openSync(toSystemPath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : unkept('unreadable');
    }
    try {
      const before: Stats = known ?? fstatSync(file);
      known = undefined;
      if (!before.isFile()) return unkept('busy');
      if (before.size > limit) return unkept('large');
      const bytes = readWhole(file, before.size);
      const after = fstatSync(file);
      const isSteady =
        after.ino === before.ino &&
        after.size === bytes.length &&
        after.mtimeMs === before.mtimeMs &&
        after.ctimeMs === before.ctimeMs;
      if (isSteady) return { ...fileState(before), content: keep(bytes), size: bytes.length };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== 'read') throw error;
      return unkept('unreadable');
    } finally {
      closeSync(file);
    }
  }
  return unkept('busy');
}

function fileState(found: Stats): Omit<FileState, 'content'> {
  const { size, nlink, ino } = found;
  const state = { kind: 'file', mode: modeOf(found), size } as const;
  return nlink > 1 ? { ...state, inode: ino } : state;
}

/** The bytes are valid until the next call. Whether the file has grown, its size afterwards tells. */
function readWhole(file: number, size: number): Buffer {
  if (room.length < size) room = Buffer.allocUnsafe(size);
  // A system's own file may have a content and no size.
  const wanted = Math.max(size, 1);
  let done = 0;
  while (done < wanted) {
    const read = readSync(file, room, done, wanted - done, done);
    if (read === 0) break;
    done += read;
  }
  return room.subarray(0, done);
}
