/**
 * EnvironmentWatch: finds out that a command changed a file of environment variables of
 * the user or the project, and keeps the previous content for the owner (docs/decisions/0041).
 * It prevents nothing. A look costs a few system calls per folder; a file is read again only
 * after it changed.
 */

import { readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ENVIRONMENT_FILE } from '../../util/environment-file.ts';
import { replaceFile } from '../../util/replace-file.ts';
import type { Clock } from '../../util/clock.ts';

export interface EnvironmentWatchOptions {
  /** Folders of the workspace; every file of environment variables in them counts. */
  folders: readonly string[];
  home: string;
  /** Where previous contents are kept, readable by the owner only. */
  keepIn: string;
  clock: Clock;
}

export interface EnvironmentChange {
  path: string;
  kind: 'created' | 'changed' | 'removed';
  /** The file with the previous content; absent when there was none, or when it could not be kept. */
  kept?: string;
}

/** The state of one file; `content` is absent for a file that is too large or unreadable. */
interface Seen {
  stamp: string;
  content?: Buffer | undefined;
}

type Look = ReadonlyMap<string, Seen>;

const MAX_BYTES = 1024 * 1024;
const MAX_KEPT = 20;
const MAX_NESTED = 32;
const MAX_ENTRIES = 2000;
const MAX_DEPTH = 3;
const UNSEARCHED = /^(?:\..*|node_modules|dist|build|target|vendor|venv|__pycache__)$/;

export class EnvironmentWatch {
  private readonly options: EnvironmentWatchOptions;
  /** Lists by folder, valid while the folder's stamp is the same. */
  private readonly lists = new Map<string, { stamp: string; names: readonly string[] }>();
  private readonly contents = new Map<string, Seen>();
  private readonly fixed: readonly string[];
  /** Files below the workspace's folders, found once. */
  private nested: readonly string[] | undefined;
  /** Changes that were reported: two commands that run at once see the same. */
  private readonly told = new Map<string, string>();

  constructor(options: EnvironmentWatchOptions) {
    this.options = options;
    const { folders, home } = options;
    const above = folders.flatMap(parentsOf).filter((folder) => !folders.includes(folder));
    this.fixed = [...new Set([home, ...above])].flatMap((folder) => [
      join(folder, '.env'),
      join(folder, '.gemini', '.env'),
    ]);
  }

  /** Looks before a command; the function it returns looks again and reports what is different. */
  open(directory: string): () => EnvironmentChange[] {
    const before = this.look(directory);
    return () => this.compare(before, this.look(directory));
  }

  private look(directory: string): Look {
    const { folders } = this.options;
    this.nested ??= folders.flatMap((folder) => findNested(folder)).slice(0, MAX_NESTED);
    const listed = [...new Set([...folders, ...folders.map((folder) => join(folder, '.gemini')), directory])];
    const paths = new Set([...listed.flatMap((folder) => this.list(folder)), ...this.fixed, ...this.nested]);
    const seen = new Map<string, Seen>();
    for (const path of paths) {
      const file = this.see(path);
      if (file !== undefined) seen.set(path, file);
    }
    return seen;
  }

  /** A folder's own stamp changes with each file that appears or disappears. */
  private list(folder: string): readonly string[] {
    const stamp = stampOf(folder);
    if (stamp === undefined) return [];
    const known = this.lists.get(folder);
    if (known?.stamp === stamp) return known.names;
    const names = namesIn(folder)
      .filter((name) => ENVIRONMENT_FILE.test(name))
      .map((name) => join(folder, name));
    this.lists.set(folder, { stamp, names });
    return names;
  }

  private see(path: string): Seen | undefined {
    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    const known = this.contents.get(path);
    if (known?.stamp === stamp) return known;
    const seen: Seen = { stamp, content: contentOf(path) };
    this.contents.set(path, seen);
    return seen;
  }

  private compare(before: Look, after: Look): EnvironmentChange[] {
    const changes: EnvironmentChange[] = [];
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(path), after.get(path)];
      if (was?.stamp === is?.stamp || this.told.get(path) === (is?.stamp ?? '')) continue;
      // Written again with the same content, or only touched.
      if (was?.content !== undefined && is?.content?.equals(was.content) === true) continue;
      this.told.set(path, is?.stamp ?? '');
      const kind = was === undefined ? 'created' : is === undefined ? 'removed' : 'changed';
      const kept = was?.content === undefined ? undefined : this.keep(path, was.content);
      changes.push({ path, kind, ...(kept !== undefined && { kept }) });
    }
    return changes;
  }

  private keep(path: string, content: Buffer): string | undefined {
    const { keepIn, clock } = this.options;
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-');
    const kept = join(keepIn, `${time}-${basename(dirname(path))}-${basename(path).slice(1)}`);
    try {
      replaceFile(kept, content);
      const old = namesIn(keepIn).sort().slice(0, -MAX_KEPT);
      for (const name of old) unlinkSync(join(keepIn, name));
      return kept;
    } catch {
      // A full disk or a read-only home: the change is reported without a copy.
      return undefined;
    }
  }
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/** The time of the last change of the inode cannot be set back. Undefined when there is nothing. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}:${found.size}:${found.ctimeNs}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Those of the packages of a project; the search is bounded. */
function findNested(root: string): string[] {
  const found: string[] = [];
  let left = MAX_ENTRIES;
  const open = [{ folder: root, depth: 0 }];
  for (let next = open.shift(); next !== undefined && left > 0; next = open.shift()) {
    for (const entry of entriesIn(next.folder)) {
      left -= 1;
      const { name } = entry;
      const path = join(next.folder, name);
      if (ENVIRONMENT_FILE.test(name) && next.depth > 0) found.push(path);
      if (next.depth < MAX_DEPTH && entry.isDirectory() && !UNSEARCHED.test(name))
        open.push({ folder: path, depth: next.depth + 1 });
    }
  }
  return found;
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
