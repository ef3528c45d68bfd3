/**
 * The rules every tree of an extension keeps before it is installed, wherever it comes from: regular files, folders,
 * and links that stay inside; bounded in number and bytes. Copies trees by these rules and makes them durable.
 */

import { lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, copyFile, open, symlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { throwIfAborted } from '../util/clock.ts';
import { ARCHIVE_LIMITS } from './archive-entry.ts';
import { ExtensionError } from './extension-error.ts';

/**
 * Whether a link at this path leads out of its tree, or is not a plain relative link. After a name, `..` is rejected too:
 * where the name is a link itself, the spelling does not tell where it leads.
 */
export function leavesTree(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || /[\0\\]/.test(target)) return true;
  if (/(?:^|\/)(?!\.\.?(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(target)) return true;
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  return reached === '..' || reached.startsWith('../');
}

interface Visited {
  /** Relative, with slashes. */
  path: string;
  kind: 'file' | 'directory' | 'link';
}

/**
 * Every entry below the folder; a folder comes before its content. Throws an ExtensionError for a broken rule, which names
 * the folder unless it is a stage that will be gone.
 */
function* visitTree(directory: string, isStage = false, limits = ARCHIVE_LIMITS): Generator<Visited, void> {
  const shown = isStage ? 'The extension' : directory;
  const show = (path: string) => (isStage ? `"${path}" of the extension` : join(directory, path));
  let count = 0;
  let bytes = 0;
  function* visit(prefix: string): Generator<Visited, void> {
    for (const name of readdirSync(join(directory, prefix))) {
      const path = `${prefix}${name}`;
      const stat = lstatSync(join(directory, path));
      count += 1;
      bytes += stat.isFile() ? stat.size : 0;
      if (count > limits.entries) throw new ExtensionError(`${shown} has more than ${limits.entries} files.`);
      if (bytes > limits.bytes) throw new ExtensionError(`${shown} has more than ${limits.bytes} bytes.`);
      if (stat.isDirectory()) {
        yield { path, kind: 'directory' };
        yield* visit(`${path}/`);
      } else if (stat.isSymbolicLink()) {
        const target = readlinkSync(join(directory, path));
        if (!leavesTree(path, target)) yield { path, kind: 'link' };
        else throw new ExtensionError(`${show(path)} links to ${target}, outside the extension. Remove it.`);
      } else if (stat.isFile()) yield { path, kind: 'file' };
      else throw new ExtensionError(`${show(path)} is not a regular file. Remove it.`);
    }
  }
  yield* visit('');
}

/** Throws an ExtensionError for a fetched tree that breaks a rule. */
export function checkTree(directory: string): void {
  for (const _ of visitTree(directory, true));
}

/** Into a new folder; the owner may read and write everything there. */
export async function copyTree(from: string, to: string, signal: AbortSignal): Promise<void> {
  mkdirSync(to, { mode: 0o755 });
  for (const { path, kind } of visitTree(from)) {
    throwIfAborted(signal);
    const target = join(to, path);
    if (kind === 'directory') mkdirSync(target, { mode: 0o755 });
    else if (kind === 'link') await symlink(readlinkSync(join(from, path)), target);
    else {
      await copyFile(join(from, path), target);
      await chmod(target, (lstatSync(join(from, path)).mode & 0o755) | 0o600);
    }
  }
}

/** Flushes every file and folder to the disk. */
export async function syncTree(directory: string): Promise<void> {
  const entries = [...visitTree(directory)].filter(({ kind }) => kind !== 'link');
  const paths = [...entries.map(({ path }) => join(directory, path)), directory];
  const workers = Array.from({ length: 8 }, async () => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) await syncPath(path);
  });
  await Promise.all(workers);
}

export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32' && lstatSync(path).isDirectory()) return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
