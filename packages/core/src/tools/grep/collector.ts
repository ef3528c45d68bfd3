/**
 * Collects the part of a search that will be shown: the wanted lines of the wanted files,
 * up to the limits. Lines are buffered until `flush`, so that they are filtered in
 * batches.
 */

import { relative, sep } from 'node:path';
import { cutLine } from './found.ts';
import type { Found, FoundFile, FoundLine } from './found.ts';
import type { GrepSearch } from './search.ts';

export interface Collector {
  /** Starts a file, given by its absolute path; the following lines belong to it. */
  begin(path: string): void;
  add(line: FoundLine): void;
  /** Discards the lines of the file: it is not text. */
  drop(): void;
  /** Filters the lines added since the last flush; true when there are enough. */
  flush(): boolean;
  found(): Found;
}

interface CollectedFile extends FoundFile {
  isWanted: boolean;
  matches: number;
}

export function createCollector(search: GrepSearch): Collector {
  const files: CollectedFile[] = [];
  const maxPerFile = search.namesOnly ? 1 : (search.maxPerFile ?? Infinity);
  let current: CollectedFile | undefined;
  let waiting: { file: CollectedFile; line: FoundLine }[] = [];
  let matches = 0;
  let isLimited = false;

  function keep(file: CollectedFile, line: FoundLine): void {
    if (!line.isContext) {
      if (file.matches >= maxPerFile) return;
      isLimited = matches >= search.limit;
      if (isLimited) return;
      matches++;
      file.matches++;
    }
    file.lines.push(line);
  }

  function judge(): void {
    const lines = waiting;
    waiting = [];
    const kept = search.keepLines?.(lines.map(({ line }) => line.text));
    lines.forEach(({ file, line }, index) => {
      if (!isLimited && (line.isContext || kept?.[index] !== false)) keep(file, line);
    });
  }

  return {
    begin(path) {
      const name = relative(search.directory, path).replaceAll(sep, '/');
      current = { name, lines: [], isWanted: search.keepFile(path), matches: 0 };
      if (current.isWanted) files.push(current);
    },
    add(line) {
      if (!current?.isWanted || (line.isContext && search.namesOnly)) return;
      waiting.push({ file: current, line: { ...line, text: cutLine(line.text) } });
    },
    drop() {
      judge();
      if (!current) return;
      matches -= current.matches;
      current.matches = 0;
    },
    flush() {
      judge();
      return isLimited;
    },
    found() {
      judge();
      const matched = files.filter((file) => file.matches > 0);
      return { files: matched.map(({ name, lines }) => ({ name, lines })), matches, isLimited };
    },
  };
}
