/**
 * A folder of the workspace, held open while something in it is changed, so that a parent that is swapped for a link at
 * the same time leads nowhere else (S33). Where the system gives no path to an open folder, each parent is checked
 * before every use.
 */

import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { nameOf, parentOf, toSystemPath } from './byte-path.ts';
import { lstatOf, modeOf, readState } from './read-state.ts';
import type { Keep } from './read-state.ts';
import { UNKNOWN } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const HANDLES = '/proc/self/fd';
const hasHandles = existsSync(HANDLES);
const WRITABLE = 0o300;

let held: { path: string; folder: HeldFolder } | undefined;

/** Holds one folder until another one is needed: neighbours are usually handled one after the other. */
export function holdFolder(path: string): HeldFolder {
  if (held?.path === path) return held.folder;
  releaseFolder();
  const folder = new HeldFolder(path);
  held = { path, folder };
  return folder;
}

/** To be called when folders may have been replaced. */
export function releaseFolder(): void {
  held?.folder.close();
  held = undefined;
}

/** The state of a path whose parents are folders of the workspace, not links; absent otherwise, and unknown below a closed folder. */
export function stateAt(path: string, keep: Keep, limit: number): { state: TreeState; found: Stats | null } {
  try {
    const place = holdFolder(parentOf(path)).at(nameOf(path));
    const found = lstatOf(place);
    return { found, state: readState(place, found, keep, limit) };
  } catch (error) {
    if (error instanceof NoFolder) return { found: null, state: null };
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return { found: null, state: UNKNOWN };
    throw error;
  }
}

/** Thrown where a parent is missing, or no longer a folder. */
export class NoFolder extends Error {
  override readonly name = 'NoFolder';
}

export class HeldFolder {
  private handle: number | undefined;
  private readonly path: string;
  private holders = 1;

  /** Expects the workspace as the current folder; the empty path is the workspace. */
  constructor(path: string) {
    this.path = path;
    if (!hasHandles) return;
    try {
      let place = '.';
      for (const name of ['', ...(path === '' ? [] : path.split('/'))]) {
        const above = this.handle;
        this.handle = openSync(
          toSystemPath(name === '' ? place : `${place}/${name}`),
          O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
        );
        // An open folder stays the same whatever happens above it.
        if (above !== undefined) closeSync(above);
        place = `${HANDLES}/${this.handle}`;
      }
    } catch (error) {
      this.close();
      if ((error as NodeJS.ErrnoException).code === 'EACCES') throw error;
      throw new NoFolder((error as Error).message);
    }
  }

  /** Stays open until `close` was called once more. */
  hold(): void {
    this.holders += 1;
  }

  /** The path of something in the folder, for system calls. */
  at(name: string): string {
    if (hasHandles) return `${HANDLES}/${this.handle}/${name}`;
    this.check();
    return this.path === '' ? name : `${this.path}/${name}`;
  }

  /** Runs a change in the folder; one that forbids changes to its owner allows them meanwhile. */
  change(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const { handle } = this;
      if ((code !== 'EACCES' && code !== 'EPERM') || handle === undefined) throw error;
      const found = fstatSync(handle);
      const mode = modeOf(found);
      if ((mode & WRITABLE) === WRITABLE) throw error;
      fchmodSync(handle, mode | WRITABLE);
      try {
        run();
      } finally {
        fchmodSync(handle, mode);
      }
    }
  }

  close(): void {
    this.holders -= 1;
    if (this.holders > 0 || this.handle === undefined) return;
    closeSync(this.handle);
    this.handle = undefined;
  }

  private check(): void {
    const names = this.path === '' ? [] : this.path.split('/');
    for (const [index] of names.entries()) {
      const parent = names.slice(0, index + 1).join('/');
      if (!lstatOf(parent)?.isDirectory()) throw new NoFolder(`${parent} is not a folder.`);
    }
  }
}
