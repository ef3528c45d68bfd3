/**
 * Removes contents that no point and no manifest needs any more: whole segments, and those that are mostly unused after
 * copying the rest. When the store is above its budget, the oldest points lose their contents first. It never needs
 * room for more than one segment.
 */

import { rmSync } from 'node:fs';
import type { ContentStore, Segment } from './content-store.ts';
import { ManifestReader } from './manifest.ts';
import { fromStoredChange } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';

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

export function collectGarbage(options: CollectOptions): Collected {
  const { store, storeBytes } = options;
  store.flush();
  const base = new Set(manifestContents(options.manifests));
  const points = options.points.map((point) =>
    typeof point === 'string' ? contentsOfList(store, point) : new Set(point),
  );
  let kept = points.length;
  let live = union(base, points);
  // Estimated before anything is removed: points go from the oldest on until the rest fits.
  while (kept > 0 && liveBytes(store, live) > storeBytes) {
    kept -= 1;
    live = union(base, points.slice(0, kept));
  }
  for (const segment of [...store.segments.values()]) release(store, segment, live, LEAST_USE);
  // What is left may still be too much: then segments with any waste go, one after the other.
  for (const segment of [...store.segments.values()])
    if (store.size > storeBytes) release(store, segment, live, WASTEFUL);
  return { bytes: store.size, dropped: points.length - kept };
}

function release(store: ContentStore, segment: Segment, live: ReadonlySet<string>, leastUse: number): void {
  const used = [...store.contentsOf(segment)].filter(({ hash }) => live.has(hash));
  const bytes = used.reduce((sum, each) => sum + each.bytes, 0);
  if (used.length > 0 && bytes >= segment.size * leastUse) return;
  store.remove(
    segment,
    used.map(({ hash }) => hash),
  );
  rmSync(segment.path, { force: true });
}

function liveBytes(store: ContentStore, live: ReadonlySet<string>): number {
  let sum = 0;
  for (const segment of store.segments.values())
    for (const { hash, bytes } of store.contentsOf(segment)) if (live.has(hash)) sum += bytes;
  return sum;
}

function union(base: ReadonlySet<string>, points: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set(base);
  for (const point of points) for (const content of point) all.add(content);
  return all;
}

function contentsOfList(store: ContentStore, list: string): Set<string> {
  const contents = new Set([list]);
  for (const line of store.get(list)?.toString('utf8').split('\n') ?? []) {
    const change = line === '' ? undefined : fromStoredChange(JSON.parse(line));
    for (const state of [change?.before, change?.after]) addContent(contents, state);
  }
  return contents;
}

function addContent(contents: Set<string>, state: TreeState | undefined): void {
  if (state?.kind === 'file') contents.add(state.content);
}

function* manifestContents(paths: readonly string[]): Generator<string> {
  for (const path of paths) {
    let reader: ManifestReader | undefined;
    try {
      reader = new ManifestReader(path);
      for (let entry = reader.next(); entry; entry = reader.next())
        if (entry.state.kind === 'file') yield entry.state.content;
    } catch {
      // A damaged manifest names nothing: the next walk reads all files again.
    } finally {
      reader?.close();
    }
  }
}
