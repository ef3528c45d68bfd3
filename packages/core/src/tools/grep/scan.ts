/**
 * Searches without ripgrep: reads and matches every file in this process. It finds the
 * same as ripgrep except where JavaScript's expressions differ (Unicode classes, inline
 * flags in the middle), in files over 8 MB and for .ignore files.
 */

import { join } from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { compilePattern, runGuarded } from '../guarded-regexp.ts';
import { openRegularFile } from '../files/opened-file.ts';
import type { SearchScope } from '../files/search-scope.ts';
import { walkFiles } from '../files/walk-files.ts';
import { matchesWildcard } from '../wildcard.ts';
import type { Workspace } from '../files/workspace.ts';
import { createCollector } from './collector.ts';
import type { Collector } from './collector.ts';
import { decodeText, splitLines } from './found.ts';
import type { Found } from './found.ts';
import type { GrepSearch } from './search.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** How many files are read at once and matched in one guarded run. */
const BATCH = 16;

export async function searchWithoutRipgrep(
  workspace: Workspace,
  scope: SearchScope,
  search: GrepSearch,
): Promise<Found> {
  const pattern = search.fixedStrings ? search.pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : search.pattern;
  const expression = compilePattern(pattern, { caseSensitive: search.caseSensitive });
  const deadline = AbortSignal.timeout(search.timeoutMs);
  const signal = AbortSignal.any([search.signal, deadline]);
  const collector = createCollector(search);
  try {
    const paths = await listFiles(workspace, scope, search, signal);
    for (let start = 0; start < paths.length; start += BATCH) {
      throwIfAborted(signal);
      const files = await Promise.all(paths.slice(start, start + BATCH).map(readText));
      const matched = runGuarded(() => findMatches(files, expression), search.pattern, 'grep_execution_error');
      for (const file of matched) addMatches(collector, file, search);
      if (collector.flush()) break;
    }
  } catch (error) {
    if (!deadline.aborted || search.signal.aborted) throw error;
    const seconds = Math.round(search.timeoutMs / 1000);
    throw new ToolError(
      `The search was ended after ${seconds} seconds. Search a smaller directory or use a narrower pattern.`,
      'grep_execution_error',
      { cause: error },
    );
  }
  return collector.found();
}

/** Absolute paths without links, in display order. */
async function listFiles(
  workspace: Workspace,
  scope: SearchScope,
  search: GrepSearch,
  signal: AbortSignal,
): Promise<string[]> {
  if (search.path !== search.directory) return [search.path];
  const isIncluded = await compileInclude(search.include);
  const isExcluded = (file: string) => {
    const name = file.slice(file.lastIndexOf('/') + 1);
    return search.excludedFiles.some((pattern) => matchesWildcard(name, pattern));
  };
  const files = await walkFiles(workspace, scope, {
    excludedDirectories: search.excludedDirectories,
    git: search.gitIgnore && !search.noIgnore,
    gemini: !search.noIgnore,
    select: (names) =>
      runGuarded(
        () => names.filter((name) => isIncluded(name) && !isExcluded(name)),
        search.include ?? '',
        'grep_execution_error',
      ),
    signal,
  });
  return files.sort().map((file) => join(scope.real, file));
}

async function compileInclude(include: string | undefined): Promise<(file: string) => boolean> {
  if (include === undefined) return () => true;
  const { default: picomatch } = await import('picomatch');
  const isAnywhere = !include.replace(/\/$/, '').includes('/');
  return picomatch(isAnywhere ? `**/${include}` : include.replace(/^\//, ''), { dot: true });
}

interface TextFile {
  path: string;
  lines: string[];
}

interface MatchedFile extends TextFile {
  /** Indexes of matching lines. */
  matched: number[];
}

/** No lines for a file that is not text, too large, a link, unreadable or gone. */
async function readText(path: string): Promise<TextFile> {
  try {
    const opened = openRegularFile(path);
    try {
      const bytes = opened.path === path ? await opened.readUpTo(MAX_FILE_BYTES) : undefined;
      const text = bytes && decodeText(bytes);
      return { path, lines: splitLines(text ?? '').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) };
    } finally {
      opened.close();
    }
  } catch {
    return { path, lines: [] };
  }
}

function findMatches(files: readonly TextFile[], expression: RegExp): MatchedFile[] {
  return files
    .map((file) => ({ ...file, matched: file.lines.flatMap((line, index) => (expression.test(line) ? [index] : [])) }))
    .filter(({ matched }) => matched.length > 0);
}

function addMatches(collector: Collector, { path, lines, matched }: MatchedFile, search: GrepSearch): void {
  const counted = search.keepLines === undefined ? matched.slice(0, search.maxPerFile) : matched;
  const isMatch = new Set(counted);
  const shown = new Set<number>();
  for (const index of counted) {
    const last = Math.min(lines.length - 1, index + search.after);
    for (let each = Math.max(0, index - search.before); each <= last; each++) shown.add(each);
  }
  collector.begin(path);
  for (const index of [...shown].sort((a, b) => a - b)) {
    collector.add({ number: index + 1, text: lines[index] ?? '', isContext: !isMatch.has(index) });
  }
}
