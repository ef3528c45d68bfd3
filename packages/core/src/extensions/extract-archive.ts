/**
 * Writes the entries of an archive below a new folder, and nothing outside of it: no absolute path, no `..`, no link
 * out, no device; bounded in bytes, entries and the ratio of compression.
 */

import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { shorten } from '../util/short-text.ts';
import { throwIfAborted } from '../util/clock.ts';
import { ARCHIVE_LIMITS } from './archive-entry.ts';
import type { ArchiveEntry, ArchiveLimits } from './archive-entry.ts';
import { ExtensionError } from './extension-error.ts';
import { leavesTree } from './tree-rules.ts';

export interface ExtractOptions {
  signal: AbortSignal;
  limits?: ArchiveLimits;
  /** Names a downloaded archive to the user. */
  shown?: string;
}

/** Of an entry's name in an error. */
const LONGEST_SHOWN = 200;

export type ArchiveFormat = 'tar.gz' | 'zip';

/** Undefined for another name. */
export function archiveFormat(name: string): ArchiveFormat | undefined {
  if (/\.(?:tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  return /\.zip$/i.test(name) ? 'zip' : undefined;
}

/** `directory` is created. Throws an ExtensionError for an archive that breaks a rule; the caller removes the rest. */
export async function extractArchive(
  file: string,
  format: ArchiveFormat,
  directory: string,
  { signal, limits = ARCHIVE_LIMITS, shown = file }: ExtractOptions,
): Promise<void> {
  const { size } = statSync(file);
  if (size > limits.archiveBytes)
    throw new ExtensionError(`${shown} has ${size} bytes, more than an extension may have.`);
  mkdirSync(directory, { mode: 0o700 });
  const writer = new TreeWriter(directory, size, limits);
  const entries =
    format === 'zip'
      ? (await import('./read-zip.ts')).readZip(file, shown)
      : (await import('./read-tar.ts')).readTar(file, shown);
  for await (const entry of entries) {
    throwIfAborted(signal);
    await writer.write(entry);
  }
}

class TreeWriter {
  private readonly root: string;
  private readonly archiveSize: number;
  private readonly limits: ArchiveLimits;
  /** In lower case: on some file systems `A` and `a` are one file. */
  private readonly written = new Set<string>();
  private bytes = 0;
  private count = 0;

  constructor(root: string, archiveSize: number, limits: ArchiveLimits) {
    this.root = root;
    this.archiveSize = archiveSize;
    this.limits = limits;
  }

  async write(entry: ArchiveEntry): Promise<void> {
    this.count += 1;
    if (this.count > this.limits.entries) {
      throw new ExtensionError(`The archive has more than ${this.limits.entries} entries.`);
    }
    const path = checkedPath(entry.path);
    if (path === '') return;
    if (entry.kind === 'other') throw refused(entry, `it is ${entry.what}`);
    const target = join(this.root, path);
    this.makeParents(path, entry);
    if (entry.kind === 'directory') {
      if (!this.isFolder(path)) mkdirSync(target, { mode: 0o755 });
      return;
    }
    const key = path.toLowerCase();
    if (this.written.has(key)) throw refused(entry, 'an earlier entry has the same name');
    this.written.add(key);
    if (entry.kind === 'link') await symlink(checkedTarget(entry, path), target);
    else await this.writeFile(entry, target);
  }

  /** Every parent is a real folder: an entry never goes through a link. */
  private makeParents(path: string, entry: ArchiveEntry): void {
    for (const parent of parentsOf(path)) {
      if (!this.isFolder(parent, entry)) makeDirectory(join(this.root, parent), 0o755);
    }
  }

  private isFolder(path: string, entry?: ArchiveEntry): boolean {
    const stat = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isDirectory()) return true;
    throw refused(entry ?? { path }, `${path} is not a folder`);
  }

  private async writeFile({ content, isProgram }: ArchiveEntry, target: string): Promise<void> {
    const handle = await open(target, 'wx', isProgram ? 0o755 : 0o644);
    try {
      for await (const piece of content) {
        this.charge(piece.length);
        await handle.writeFile(piece);
      }
    } finally {
      await handle.close();
    }
  }

  private charge(length: number): void {
    this.bytes += length;
    const { bytes, ratio, smallBytes } = this.limits;
    if (this.bytes > bytes) throw new ExtensionError(`The archive unpacks to more than ${bytes} bytes.`);
    if (this.bytes > smallBytes && this.bytes > this.archiveSize * ratio) {
      throw new ExtensionError(`The archive unpacks to more than ${ratio} times its size.`);
    }
  }
}

/** Empty for the top folder itself. */
function checkedPath(written: string): string {
  const isOdd = written.includes('\0') || written.includes('\\') || /^[A-Za-z]:/.test(written) || written.length > 1024;
  if (written === '' || isOdd) throw refused({ path: written }, 'its name is invalid');
  if (written.startsWith('/')) throw refused({ path: written }, 'its path is absolute');
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused({ path: written }, 'its path leaves the archive');
  return parts.join('/');
}

function checkedTarget(entry: ArchiveEntry, path: string): string {
  const { target = '' } = entry;
  if (leavesTree(path, target)) throw refused(entry, `it links to ${JSON.stringify(target)}, outside the extension`);
  return target;
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) parents.unshift(parent);
  return parents;
}

function refused({ path }: Pick<ArchiveEntry, 'path'>, why: string): ExtensionError {
  return new ExtensionError(`The archive was rejected: ${JSON.stringify(shorten(path, LONGEST_SHOWN))}: ${why}.`);
}
