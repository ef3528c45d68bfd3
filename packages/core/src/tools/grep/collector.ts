/**
 * Keeps of a search what will be shown: the wanted lines of the wanted files, up to
 * the limits. Lines wait until `flush`, so that they are judged in batches.
 */

import { relative, sep } from 'node:path';
import { cutLine } from './found.ts';
import type { Found, FoundFile, FoundLine } from './found.ts';
import type { GrepSearch } from './search.ts';

export interface Collector {
  /** The lines that follow are of this file, given by its absolute path. */
  begin(path: string): void;
  add(line: FoundLine): void;
  /** The file turned out not to be text: none of its lines count. */
  drop(): void;
  /** Judges what was added since the last time; true when there is enough. */
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
