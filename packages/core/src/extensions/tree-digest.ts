/**
 * Computes what identifies the content of an extension: a stamp from the facts of its files, cheap enough for every
 * start, and a digest of their bytes. Both leave out what no loader reads: `.git`, values of settings, caches.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { ExtensionError } from './extension-error.ts';
import { VALUES } from './extension-paths.ts';

export interface TreeEntry {
  /** Relative, with slashes. */
  readonly path: string;
  readonly stat: Stats;
}

/** At the top of the tree. */
const LEFT_OUT_AT_TOP: ReadonlySet<string> = new Set(['.git', VALUES]);
/** Written by interpreters and file managers beside the content. */
const LEFT_OUT: ReadonlySet<string> = new Set(['__pycache__', '.DS_Store']);
const MAX_ENTRIES = 100_000;

/** Files and links, in the order of their paths. Throws an ExtensionError for a tree that is too large. */
export function listTree(directory: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const walk = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).toSorted()) {
      if (LEFT_OUT.has(name) || (prefix === '' && LEFT_OUT_AT_TOP.has(name))) continue;
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) walk(path, `${prefix}${name}/`);
      else entries.push({ path: `${prefix}${name}`, stat });
      if (entries.length > MAX_ENTRIES) {
        throw new ExtensionError(`${directory} has more than ${MAX_ENTRIES} files, the limit for an extension.`);
      }
    }
  };
  walk(directory, '');
  return entries;
}

/** Changes with every write to a file of the tree. Equal stamps mean equal content. */
export function stampTree(entries: readonly TreeEntry[]): string {
  const facts = entries.map(({ path, stat: { ino, size, mode, mtimeMs, ctimeMs } }) =>
    [path, ino, size, mode, mtimeMs, ctimeMs].join(' '),
  );
  return quickHash(facts.join('\n'));
}

/** Two FNV-1a hashes: the start loads no crypto module, and a program that can forge the times of changes owns the record. */
function quickHash(text: string): string {
  let [first, second] = [0x811c_9dc5, 0x9747_b28c];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x0100_0193);
    second = Math.imul(second ^ code, 0x85eb_ca6b);
  }
  const toHex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');
  return `${text.length.toString(16)}-${toHex(first)}${toHex(second)}`;
}

/** Of the names, kinds, permissions to execute, and bytes. Throws file-system errors. */
export function digestTree(directory: string, entries: readonly TreeEntry[]): string {
  const lines = entries.map(({ path, stat }) => {
    if (stat.isSymbolicLink()) return `link ${path} ${readlinkSync(join(directory, path))}`;
    if (!stat.isFile()) throw new ExtensionError(`${join(directory, path)} is not a regular file. Remove it.`);
    const kind = (stat.mode & 0o100) === 0 ? 'file' : 'program';
    return `${kind} ${path} ${digestOf(readFileSync(join(directory, path)))}`;
  });
  return digestOf(lines.join('\n'));
}

export function digestOf(content: string | Uint8Array): string {
  return builtin.crypto.createHash('sha256').update(content).digest('hex');
}
