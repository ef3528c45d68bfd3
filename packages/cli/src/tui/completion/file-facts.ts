/**
 * What the list after `@` says of a file: how many lines it has, else how large it is. Files are read after the list is
 * shown, a bounded part of each, and what was read is kept for a while.
 */

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@castor/core';
import { countOf } from '@castor/core/program';
import { readableSize } from '../../readable-numbers.ts';

/** Lines of a larger file are not counted. */
const MOST_BYTES = 512 * 1024;
const STALE_MS = 10_000;
const MOST_KNOWN = 1_000;

interface Fact {
  /** Undefined: the file is not readable. */
  readonly text: string | undefined;
  readonly at: number;
}

export class FileFacts {
  private readonly root: string;
  private readonly clock: Clock;
  private readonly known = new Map<string, Fact>();

  constructor(root: string, clock: Clock) {
    this.root = root;
    this.clock = clock;
  }

  /** Undefined where nothing is known yet. */
  of(path: string): string | undefined {
    return this.known.get(path)?.text;
  }

  /** Reads what is unknown or old; undefined where nothing is. */
  read(paths: readonly string[], signal: AbortSignal): Promise<void> | undefined {
    const oldest = this.clock.now() - STALE_MS;
    const wanted = paths.filter((path) => !path.endsWith('/') && (this.known.get(path)?.at ?? -Infinity) < oldest);
    if (wanted.length === 0) return undefined;
    if (this.known.size > MOST_KNOWN) this.known.clear();
    return this.readAll(wanted, signal);
  }

  /** One after the other: the list is in use meanwhile. */
  private async readAll(paths: readonly string[], signal: AbortSignal): Promise<void> {
    for (const path of paths) {
      if (signal.aborted) return;
      this.known.set(path, { text: await factOf(join(this.root, path)), at: this.clock.now() });
    }
  }
}

async function factOf(path: string): Promise<string | undefined> {
  try {
    // A pipe would never end, and a link may lead anywhere.
    const stat = await lstat(path);
    if (!stat.isFile()) return undefined;
    if (stat.size > MOST_BYTES) return readableSize(stat.size);
    const bytes = await readFile(path);
    return bytes.includes(0) ? readableSize(stat.size) : countOf(countLines(bytes), 'line');
  } catch {
    // Unreadable, or gone since it was listed.
    return undefined;
  }
}

/** A last line without an end counts. */
function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? lines + 1 : lines;
}
