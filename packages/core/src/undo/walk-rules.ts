/**
 * What a walk keeps of which file: the limits, and which folders can be rebuilt and therefore share a smaller one.
 */

import type { Unkept } from './tree-state.ts';

export interface WalkLimits {
  /** The largest file that is kept. */
  readonly fileBytes: number;
  /** Of all folders that can be rebuilt together. */
  readonly rebuildableBytes: number;
  readonly rebuildableFiles: number;
  /** Beyond these the workspace is not read at all. */
  readonly entries: number;
  readonly totalBytes: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_LIMITS: WalkLimits = {
  fileBytes: 10 * MEGABYTE,
  rebuildableBytes: 300 * MEGABYTE,
  rebuildableFiles: 60_000,
  entries: 300_000,
  totalBytes: 2048 * MEGABYTE,
};

const REBUILDABLE: ReadonlySet<string> = new Set([
  ...['node_modules', '.venv', 'venv', 'target', 'dist', 'build', '.next', '.nuxt', '.gradle', '__pycache__'],
  ...['Pods', '.terraform', '.tox', '.cache', '.parcel-cache', '.turbo', '.mypy_cache', '.pytest_cache'],
]);

export function isRebuildable(name: string): boolean {
  return REBUILDABLE.has(name);
}

/** The outermost folder above a path that can be rebuilt. */
export function rebuildableFolder(path: string): string | undefined {
  const names = path.split('/');
  const end = names.findIndex(isRebuildable);
  return end < 0 ? undefined : names.slice(0, end + 1).join('/');
}

/** The workspace is beyond the limits: undo covers edits only. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Counts what a walk keeps, and decides about the next file. */
export class Allowance {
  entries = 0;
  bytes = 0;
  private rebuildableBytes = 0;
  private rebuildableFiles = 0;
  private readonly limits: WalkLimits;

  constructor(limits: WalkLimits) {
    this.limits = limits;
  }

  /** Throws TooLarge. */
  count(): void {
    this.entries += 1;
    if (this.entries > this.limits.entries)
      throw new TooLarge(`it has more than ${this.limits.entries.toLocaleString('en-US')} files and folders`);
  }

  /** The reason why a file of this size is not kept; undefined when it is. Throws TooLarge. */
  refuse(size: number, isBelowRebuildable: boolean): Unkept | undefined {
    if (size > this.limits.fileBytes) return 'large';
    if (isBelowRebuildable) {
      const isOver =
        this.rebuildableBytes + size > this.limits.rebuildableBytes ||
        this.rebuildableFiles >= this.limits.rebuildableFiles;
      if (isOver) return 'rebuildable';
      this.rebuildableBytes += size;
      this.rebuildableFiles += 1;
    }
    this.bytes += size;
    if (this.bytes > this.limits.totalBytes)
      throw new TooLarge(`it has more than ${Math.round(this.limits.totalBytes / MEGABYTE)} MB to copy`);
    return undefined;
  }
}

/** Temporary files of Castor's own writes, by an undo or an edit: under way, or left by a kill. */
const OWN_TEMPORARY = /^\.castor-(?:undo-|[0-9a-f]{8}-\d{1,10}-[0-9a-f]{18}\.tmp$)/;

export function isOwnTemporary(name: string): boolean {
  return name.startsWith('.castor-') && OWN_TEMPORARY.test(name);
}
