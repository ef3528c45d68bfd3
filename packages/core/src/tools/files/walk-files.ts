/**
 * Lists every file below a directory, as relative names with `/`. It prunes ignored and
 * excluded folders on the way down, follows no link, and stops when aborted. Unreadable
 * folders are skipped; the result is unordered.
 */

import { join, sep } from 'node:path';
import { throwIfAborted } from '../../util/clock.ts';
import type { IgnoreQuery } from './ignore-rules.ts';
import type { SearchScope } from './search-scope.ts';
import { holdScope } from './search-scope.ts';
import type { Workspace } from './workspace.ts';

/** How many names are passed to `select` at once; small enough for one guarded run. */
const BATCH = 2_000;

export interface WalkOptions extends IgnoreQuery {
  /** Names of folders to skip. */
  excludedDirectories: readonly string[];
  /** Whether a folder may contain matches; its name is relative to the start. */
  enters?: (directory: string) => boolean;
  /** Selects the wanted files; called before the ignore rules, which cost more. */
  select?: (files: string[]) => string[];
  signal: AbortSignal;
}

export async function walkFiles(workspace: Workspace, scope: SearchScope, options: WalkOptions): Promise<string[]> {
  const { fdir } = await import('fdir');
  const { git, gemini, select, enters, signal } = options;
  const query = { git, gemini };
  const excluded = new Set(options.excludedDirectories);
  const isIgnored = (path: string, kind: 'file' | 'directory') =>
    workspace.ignore.isIgnored(join(scope.named, path), kind, query);
  await using held = await holdScope(scope);
  const prefix = held.path.endsWith(sep) ? held.path.length : held.path.length + 1;
  const names: string[] = [];
  await new fdir()
    .withFullPaths()
    .withAbortSignal(signal)
    .exclude((name, path) => {
      if (excluded.has(name)) return true;
      // The crawler ends the path of a folder with a separator.
      const directory = toSlashes(path.slice(prefix)).replace(/\/$/, '');
      return (enters !== undefined && !enters(directory)) || isIgnored(directory, 'directory');
    })
    .filter((path) => {
      names.push(toSlashes(path.slice(prefix)));
      // The names are collected above; the crawler's own list would be a second copy.
      return false;
    })
    .crawl(held.path)
    .withPromise();
  throwIfAborted(signal);
  const wanted: string[] = [];
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    wanted.push(...(select ? select(batch) : batch).filter((file) => !isIgnored(file, 'file')));
  }
  return wanted;
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
