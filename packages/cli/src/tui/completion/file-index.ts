/**
 * Indexes the names of the files and folders of the workspace, for completion: listed in the background on the first
 * search, refreshed when stale, bounded in number and size. A search works in short slices between which keys are
 * handled, and answers from the names known so far.
 */

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Clock } from '@castor/core';
import { letterMask, scorePath } from './fuzzy-match.ts';
import { listFiles } from './list-files.ts';
import type { ListFilesOptions } from './list-files.ts';

export interface FileIndex {
  search(query: string, signal: AbortSignal): Promise<FileMatches>;
  dispose(): void;
}

export interface FileMatches {
  /** Best first; folders end with `/`. */
  readonly paths: readonly string[];
  /** How many files are below each folder, as far as they are listed. */
  readonly counts?: ReadonlyMap<string, number> | undefined;
  /** While files are being listed: resolves when more are known. */
  readonly improved?: Promise<void> | undefined;
}

export interface FileIndexOptions extends ListFilesOptions {
  /** `context.fileFiltering.enableFuzzySearch`. Default true; else the typed text must match contiguously. */
  readonly isFuzzy?: boolean;
  /** `context.fileFiltering.enableRecursiveFileSearch`. Default true; else only the typed folder is offered. */
  readonly isRecursive?: boolean;
  readonly clock: Clock;
  readonly maxFiles?: number;
  /** The source of names; the disk by default. */
  readonly list?: (options: ListFilesOptions, signal: AbortSignal) => AsyncIterable<readonly string[]>;
}

/** One listing of names, with the letters of each for quick rejection. */
interface Names {
  readonly paths: string[];
  readonly masks: number[];
  /** With the number of files below them. */
  readonly folders: Map<string, number>;
}

const MAX_FILES = 500_000;
const MAX_MATCHES = 50;
const STALE_MS = 10_000;
/** Paths compared between two reads of the clock, and the time after which keys are handled. */
const SLICE_PATHS = 500;
const SLICE_MS = 5;
/** How often a list is refreshed while files are being listed. */
const PROGRESS_MS = 100;

export function createFileIndex(options: FileIndexOptions): FileIndex {
  const { clock, maxFiles = MAX_FILES, list = listFiles } = options;
  const fits = chooseFit(options);
  const gathering = new AbortController();
  let names: Names | undefined;
  let gatheredAt = Number.NEGATIVE_INFINITY;
  let progress: PromiseWithResolvers<void> | undefined;

  const gather = async () => {
    const mine = createNames();
    // The first listing is searched while it grows; a later one replaces the old when it is complete.
    names ??= mine;
    progress = Promise.withResolvers();
    let toldAt = clock.now();
    for await (const found of list(options, gathering.signal)) {
      for (const path of found) addPath(mine, path);
      if (mine.paths.length >= maxFiles) break;
      if (clock.now() - toldAt > PROGRESS_MS) {
        toldAt = clock.now();
        const told = progress;
        progress = Promise.withResolvers();
        told.resolve();
      }
    }
    names = mine;
    gatheredAt = clock.now();
    const told = progress;
    progress = undefined;
    told.resolve();
  };

  return {
    async search(query, signal) {
      if (progress === undefined && clock.now() - gatheredAt > STALE_MS && !gathering.signal.aborted) void gather();
      // The answer is only as complete as the names when it began.
      const improved = progress?.promise;
      const paths = await findBest(names!, query.toLowerCase(), { signal, fits });
      return { paths, counts: names!.folders, improved };
    },
    dispose: () => gathering.abort(),
  };
}

function createNames(): Names {
  return { paths: [], masks: [], folders: new Map() };
}

function addPath(names: Names, path: string): void {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const folder = path.slice(0, slash + 1);
    const count = names.folders.get(folder);
    names.folders.set(folder, (count ?? 0) + 1);
    if (count !== undefined) continue;
    names.paths.push(folder);
    names.masks.push(letterMask(folder));
  }
  names.paths.push(path);
  names.masks.push(letterMask(path));
}

interface Ranked {
  readonly path: string;
  readonly score: number;
}

type Fits = (path: string, query: string) => boolean;

/** Undefined where every scored path is offered. */
function chooseFit({ isFuzzy = true, isRecursive = true }: FileIndexOptions): Fits | undefined {
  if (isFuzzy && isRecursive) return undefined;
  return (path, query) =>
    (isFuzzy || path.toLowerCase().includes(query)) && (isRecursive || depthOf(path) === depthOf(query));
}

/** The slash at the end of a folder's name does not count. */
function depthOf(path: string): number {
  let depth = 0;
  for (let index = 0; index < path.length - 1; index++) if (path.charCodeAt(index) === 47) depth++;
  return depth;
}

async function findBest(
  { paths, masks }: Names,
  query: string,
  { signal, fits }: { signal: AbortSignal; fits: Fits | undefined },
): Promise<string[]> {
  const best: Ranked[] = [];
  const wanted = letterMask(query);
  const score = query === '' ? scoreUnasked : (path: string) => scorePath(path, query);
  let sliceStart = performance.now();
  for (let index = 0; index < paths.length; index++) {
    if (index % SLICE_PATHS === 0) {
      if (performance.now() - sliceStart > SLICE_MS) {
        await nextLoop();
        sliceStart = performance.now();
      }
      if (signal.aborted) return [];
    }
    if ((masks[index]! & wanted) !== wanted) continue;
    if (fits && !fits(paths[index]!, query)) continue;
    const value = score(paths[index]!);
    if (value !== undefined) rank(best, { path: paths[index]!, score: value });
  }
  return best.map(({ path }) => path);
}

/** Nothing typed yet: the entries at the top, folders first. */
function scoreUnasked(path: string): number {
  const isHidden = path.startsWith('.');
  return -depthOf(path) * 10 + (path.endsWith('/') ? 2 : 0) - (isHidden ? 5 : 0);
}

/** Keeps the list sorted and short; the first comparison rejects most paths. */
function rank(best: Ranked[], candidate: Ranked): void {
  const last = best.at(-1);
  if (best.length === MAX_MATCHES && last !== undefined && compare(candidate, last) >= 0) return;
  let index = best.length;
  while (index > 0 && compare(candidate, best[index - 1]!) < 0) index--;
  best.splice(index, 0, candidate);
  if (best.length > MAX_MATCHES) best.pop();
}

function compare(one: Ranked, other: Ranked): number {
  if (one.score !== other.score) return other.score - one.score;
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
