/**
 * Removes contents that no point and no manifest needs any more: whole segments, and those that are mostly unused after
 * copying the rest. When the store is above its budget, the oldest points lose their contents first. It never needs
 * room for more than one segment.
 */

import { rmSync } from 'node:fs';
import { ContentIndex } from './content-index.ts';
import type { ContentStore, Segment } from './content-store.ts';
import { ManifestReader } from './manifest.ts';
import { fromStoredChange } from './tree-state.ts';

export interface CollectOptions {
  readonly store: ContentStore;
  readonly manifests: readonly string[];
  /** Newest first: a list in the store, or contents. */
  readonly points: readonly (string | readonly string[])[];
  readonly storeBytes: number;
}

export interface Collected {
  /** Of the store, afterwards. */
  readonly bytes: number;
  readonly dropped: number;
}

/** A segment with a smaller share in use is copied and removed. */
const LEAST_USE = 0.3;
const WASTEFUL = 0.95;

/** Of contents that a manifest names; those of points follow, from the newest on. */
const BASE = 0;

export function collectGarbage(options: CollectOptions): Collected {
  const { store, storeBytes, points } = options;
  store.flush();
  const ranks = rankContents(options);
  // Estimated before anything is removed: points go from the oldest on until the rest fits.
  const bytes = bytesByRank(store, ranks, points.length);
  let kept = points.length;
  let sum = bytes.reduce((total, each) => total + each, 0);
  for (; kept > 0 && sum > storeBytes; kept--) sum -= bytes[kept]!;
  const isLive = (hash: string) => (ranks.get(hash) ?? Infinity) <= kept;
  for (const segment of [...store.segments.values()]) release(store, segment, isLive, LEAST_USE);
  // What is left may still be too much: then segments with any waste go, one after the other.
  for (const segment of [...store.segments.values()])
    if (store.size > storeBytes) release(store, segment, isLive, WASTEFUL);
  return { bytes: store.size, dropped: points.length - kept };
}

/** The first of all that need a content: `BASE`, or the number of the point, from one on. */
function rankContents({ store, manifests, points }: CollectOptions): ContentIndex {
  const ranks = new ContentIndex(store.contentCount);
  for (const path of manifests) rankManifest(path, ranks);
  for (const [index, point] of points.entries())
    for (const content of typeof point === 'string' ? contentsOfList(store, point) : point)
      if (!ranks.has(content)) ranks.set(content, index + 1);
  return ranks;
}

function bytesByRank(store: ContentStore, ranks: ContentIndex, points: number): number[] {
  const sums = Array.from({ length: points + 1 }, () => 0);
  for (const segment of store.segments.values())
    for (const { hash, bytes } of store.contentsOf(segment)) {
      const rank = ranks.get(hash);
      if (rank !== undefined) sums[rank]! += bytes;
    }
  return sums;
}

function release(store: ContentStore, segment: Segment, isLive: (hash: string) => boolean, leastUse: number): void {
  let used = 0;
  for (const { hash, bytes } of store.contentsOf(segment)) if (isLive(hash)) used += bytes;
  if (used > 0 && used >= segment.size * leastUse) return;
  store.remove(segment, isLive);
  rmSync(segment.path, { force: true });
}

function* contentsOfList(store: ContentStore, list: string): Generator<string> {
  yield list;
  for (const line of store.get(list)?.toString('utf8').split('\n') ?? []) {
    const change = line === '' ? undefined : fromStoredChange(JSON.parse(line));
    for (const state of [change?.before, change?.after]) if (state?.kind === 'file') yield state.content;
  }
}

function rankManifest(path: string, ranks: ContentIndex): void {
  let reader: ManifestReader | undefined;
  try {
    reader = new ManifestReader(path);
    for (let entry = reader.next(); entry; entry = reader.next())
      if (entry.hashAt !== undefined) ranks.setBytes(entry.view, entry.hashAt, BASE);
  } catch {
    // A damaged manifest names nothing: the next walk reads all files again.
  } finally {
    reader?.close();
  }
}
