/**
 * Puts one path of the workspace into a recorded state. A file is replaced by a complete new one, or written in place
 * where other names share it; a full disk leaves the old content. Modes are exact; the time of changed content is now,
 * so that builds notice.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rename,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { nameOf, parentOf, toSystemPath } from './byte-path.ts';
import { HeldFolder, holdFolder } from './held-folder.ts';
import { lstatOf } from './read-state.ts';
import { AS_IT_IS } from './tree-state.ts';
import type { FileState, TreeState } from './tree-state.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** Leftovers of a killed undo carry this prefix. */
const TEMPORARY = '.castor-undo-';
const NEW_FILE = 0o644;
const CHANGED_NOW = 'it changed at this moment';

let count = 0;

export function removeExactly(path: string, state: TreeState): void {
  within(path, (place) => {
    if (state?.kind === 'folder') rmdirSync(toSystemPath(place));
    else unlinkSync(toSystemPath(place));
  });
}

/** Its mode follows when all below it is done. */
export function makeFolder(path: string): void {
  within(path, (place) => mkdirSync(toSystemPath(place), { mode: 0o700 }));
}

export function setFolderMode(path: string, mode: number): void {
  within(path, (place) => {
    const handle = openUnlessClosed(place);
    try {
      if (handle !== undefined) fchmodSync(handle, mode);
      else if (lstatOf(place)?.isDirectory()) chmodSync(toSystemPath(place), mode);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  });
}

/** Undefined for a folder that forbids its owner to read it: its parent is held, and it was no link a moment ago. */
function openUnlessClosed(place: string): number | undefined {
  try {
    return openSync(toSystemPath(place), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    return undefined;
  }
}

export function setFileMode(path: string, mode: number): void {
  within(path, (place) => {
    // A file that forbids reading has no handle: its folder is held, and it was no link a moment ago.
    if (lstatOf(place)?.isFile()) chmodSync(toSystemPath(place), mode);
  });
}

export function makeLink(path: string, target: string): void {
  within(path, (place, folder) => {
    const temporary = temporaryIn(folder);
    symlinkSync(toSystemPath(target), toSystemPath(temporary));
    put(temporary, place);
  });
}

/** Another name for a file that exists. */
export function shareFile(path: string, source: string): void {
  const held = new HeldFolder(parentOf(source));
  try {
    within(path, (place) => linkSync(toSystemPath(held.at(nameOf(source))), toSystemPath(place)));
  } finally {
    held.close();
  }
}

/** A complete new file, beside the one it replaces; its folder stays held until it is put in place. */
export interface ReadyFile {
  readonly folder: HeldFolder;
  put(): Promise<void>;
  putNow(): void;
}

/**
 * Writes a file; where it replaces another one, the result puts it in place. `found` describes the file as it was compared; a
 * file that differs by now is not touched.
 */
export function writeFile(
  path: string,
  { mode: wanted }: FileState,
  bytes: Buffer,
  found: Stats | null,
): ReadyFile | undefined {
  let ready: ReadyFile | undefined;
  within(path, (place, folder) => {
    const mode = wanted === AS_IT_IS ? (found ? found.mode & 0o7777 : NEW_FILE) : wanted;
    if (found && found.nlink > 1) {
      if (!isSameFile(lstatOf(place), found)) throw new Error(CHANGED_NOW);
      return overwrite(place, bytes, mode);
    }
    const temporary = temporaryIn(folder);
    const handle = openSync(toSystemPath(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      try {
        writeAll(handle, bytes, 0, 0);
        if (found) keepOwner(handle, found);
        fchmodSync(handle, mode);
      } finally {
        closeSync(handle);
      }
    } catch (error) {
      unlinkSync(toSystemPath(temporary));
      throw error;
    }
    ready = readyFile({ temporary, place, folder, found });
  });
  return ready;
}

interface Replacement {
  readonly temporary: string;
  readonly place: string;
  readonly folder: HeldFolder;
  readonly found: Stats | null;
}

function readyFile({ temporary, place, folder, found }: Replacement): ReadyFile {
  folder.hold();
  const putNow = () => folder.change(() => put(temporary, place));
  /** Others were written meanwhile: what changed since it was compared stays. */
  const compare = () => {
    if (isSameFile(lstatOf(place), found)) return;
    unlinkSync(toSystemPath(temporary));
    throw new Error(CHANGED_NOW);
  };
  return {
    folder,
    putNow() {
      try {
        compare();
        putNow();
      } finally {
        folder.close();
      }
    },
    // Replacing a file makes some file systems write the new one to the disk first: several wait for that together.
    async put() {
      try {
        compare();
        const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | null>();
        rename(toSystemPath(temporary), toSystemPath(place), resolve);
        // A folder that forbids changes to its owner, for example.
        if (await promise) putNow();
      } finally {
        folder.close();
      }
    },
  };
}

/** Removes the unfinished files of a killed undo from the folders that an undo works in. */
export function removeLeftovers(changes: readonly { path: string }[]): void {
  for (const parent of new Set(changes.map(({ path }) => parentOf(path)))) {
    let folder: HeldFolder | undefined;
    try {
      folder = new HeldFolder(parent);
      const own = readdirSync(toSystemPath(folder.at('.')), { encoding: 'latin1' });
      for (const name of own) if (isLeft(name)) unlinkSync(toSystemPath(folder.at(name)));
    } catch {
      // A folder that is gone holds none.
    } finally {
      folder?.close();
    }
  }
}

/** Whether it is the unfinished file of a process that has ended. */
function isLeft(name: string): boolean {
  const [, pid] = /^\.castor-undo-(\d+)-[0-9a-z]+-\d+\.tmp$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return Number(pid) === process.pid || isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** A killed process remains listed until its parent reads its exit status, which in a container may never happen. */
function isZombie(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

function within(path: string, run: (place: string, folder: HeldFolder) => void): void {
  const folder = holdFolder(parentOf(path));
  folder.change(() => run(folder.at(nameOf(path)), folder));
}

function temporaryIn(folder: HeldFolder): string {
  return folder.at(`${TEMPORARY}${process.pid}-${Date.now().toString(36)}-${count++}.tmp`);
}

function put(temporary: string, place: string): void {
  try {
    renameSync(toSystemPath(temporary), toSystemPath(place));
  } catch (error) {
    unlinkSync(toSystemPath(temporary));
    throw error;
  }
}

function isSameFile(left: Stats | null, right: Stats | null): boolean {
  if (!left || !right) return left === right;
  return left.ino === right.ino && left.size === right.size && left.mtimeMs === right.mtimeMs;
}

/** The names of a file keep sharing it. What is longer than before is written first: where the disk is full, nothing has changed. */
function overwrite(place: string, bytes: Buffer, mode: number): void {
  const isLocked = (lstatOf(place)!.mode & 0o200) === 0;
  if (isLocked) chmodSync(toSystemPath(place), mode | 0o200);
  const handle = openSync(toSystemPath(place), O_WRONLY | O_NOFOLLOW);
  try {
    const { size } = fstatSync(handle);
    try {
      if (bytes.length > size) writeAll(handle, bytes, size, size);
    } catch (error) {
      ftruncateSync(handle, size);
      throw error;
    }
    writeAll(handle, bytes.subarray(0, Math.min(size, bytes.length)), 0, 0);
    ftruncateSync(handle, bytes.length);
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

function writeAll(handle: number, bytes: Buffer, from: number, position: number): void {
  for (let done = from; done < bytes.length;)
    done += writeSync(handle, bytes, done, bytes.length - done, position + done - from);
}

/** Only a privileged user owns files of others and may give them away. */
function keepOwner(handle: number, { uid, gid }: Stats): void {
  const own = fstatSync(handle);
  if (own.uid !== uid || own.gid !== gid) fchownSync(handle, uid, gid);
}
