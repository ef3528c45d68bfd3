/**
 * Gives the offline model access to this folder. It reads regular files and lists folders below the working directory,
 * and nothing else.
 */

import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createOfflineGenerator, isInside } from '@castor/core/program';
import type { ContentGenerator } from '@castor/core';
import type { FolderEntry, OfflineFolder } from '@castor/core/program';

const MAX_FILE_BYTES = 1_000_000;

export function openOffline(cwd: string): ContentGenerator {
  return createOfflineGenerator({ folder: createFolder(cwd) });
}

export function createFolder(cwd: string): OfflineFolder {
  return {
    async listDirectory(path) {
      const folder = await inside(cwd, path);
      const entries = await readdir(folder, { withFileTypes: true });
      return Promise.all(entries.map((entry) => describeEntry(join(folder, entry.name), entry.name)));
    },

    async readText(path) {
      const file = await inside(cwd, path);
      const { isFile, size } = await stat(file).then((found) => ({ isFile: found.isFile(), size: found.size }));
      if (!isFile) throw new Error(`${path} is not a regular file.`);
      if (size > MAX_FILE_BYTES) throw new Error(`${path} is too large to show (${size} bytes).`);
      const handle = await open(file, 'r');
      try {
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    },
  };
}

/** The real path, unless it is outside of the folder: links are resolved before the check. */
async function inside(cwd: string, path: string): Promise<string> {
  const root = await realpath(cwd);
  const target = await realpath(resolve(root, path)).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`This folder has no ${path}.`, { cause: error }) : error;
  });
  if (!isInside(target, root)) {
    throw new Error(`${path} is outside of this folder.`);
  }
  return target;
}

async function describeEntry(path: string, name: string): Promise<FolderEntry> {
  try {
    const found = await stat(path);
    return { name, kind: found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other', size: found.size };
  } catch {
    // A broken link is still an entry of the folder.
    return { name, kind: 'other', size: 0 };
  }
}
