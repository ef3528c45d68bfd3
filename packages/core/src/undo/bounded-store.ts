/**
 * Keeps contents in the store of a project as long as there is room: below its share of the disk and above the free bytes
 * that the user's own work needs. It looks again while it fills, and counts what it could not keep.
 */

import { statfsSync } from 'node:fs';
import type { ContentStore } from './content-store.ts';
import { hashOf } from './content-store.ts';
import { toStoredChange } from './tree-state.ts';
import type { TreeChange } from './tree-state.ts';
import type { StoreBudget } from './undo-requests.ts';

/** The share of the limit at which old points make room. */
const NEARLY = 0.9;
/** Lists of changes may go this far beyond the limit: without them a walk is worth nothing. */
const FOR_LISTS = 1.1;
/** The bytes after which the room is looked at again. */
const LOOK_EVERY = 1024 * 1024;

export class BoundedStore {
  /** Contents that could not be kept since the last `look`. */
  missed = 0;
  private readonly store: ContentStore;
  private readonly folder: string;
  private readonly budget: StoreBudget;
  private isFull = false;
  private sinceLook = 0;

  constructor(store: ContentStore, folder: string, budget: StoreBudget) {
    this.store = store;
    this.folder = folder;
    this.budget = budget;
  }

  /** Begins a walk or an undo: sees what other programs stored and removed. */
  begin(): void {
    this.store.refresh();
    this.missed = 0;
    this.look();
  }

  get limit(): number {
    const { storeBytes, shareOfFree } = this.budget;
    return Math.min(storeBytes, Math.max(shareOfFree * (this.freeBytes() + this.store.size), 0));
  }

  get isNearlyFull(): boolean {
    return this.store.size > this.limit * NEARLY;
  }

  /** Returns the name of a content, also of one that could not be kept: it is then missing when it is needed. */
  keep(bytes: Buffer): string {
    const hash = hashOf(bytes);
    if (this.store.has(hash)) return hash;
    this.sinceLook += bytes.length;
    if (this.sinceLook >= LOOK_EVERY && !this.isFull) this.look();
    try {
      if (!this.isFull) {
        this.store.putNew(bytes, hash);
        return hash;
      }
    } catch {
      this.isFull = true;
    }
    this.missed += 1;
    return hash;
  }

  /** Throws where there is no room. */
  keepList(changes: readonly TreeChange[]): string {
    if (this.store.size > this.limit * FOR_LISTS)
      throw Object.assign(new Error('The store of undo is full.'), { code: 'ENOSPC' });
    const bytes = Buffer.from(changes.map((change) => `${JSON.stringify(toStoredChange(change))}\n`).join(''));
    const list = this.store.put(bytes);
    this.store.flush();
    return list;
  }

  flush(): void {
    try {
      this.store.flush();
    } catch {
      // A manifest may now name contents that are not there: what is missing is told when it is needed.
      this.isFull = true;
      this.missed += 1;
    }
  }

  private look(): void {
    this.sinceLook = 0;
    this.isFull = this.freeBytes() < this.budget.freeBytes || this.store.size >= this.limit;
  }

  private freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }
}
