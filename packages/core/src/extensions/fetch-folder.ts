/** Fetches a folder from a repository or an archive by the rules of extensions, for content that has no manifest: skills. */

import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { downloadFile } from './download.ts';
import { extractArchive } from './extract-archive.ts';
import type { ArchiveFormat } from './extract-archive.ts';
import { ExtensionError } from './extension-error.ts';
import { gitAccess } from './fetch-extension.ts';
import { fetchCommit } from './fetch-git.ts';
import type { Environment } from './run-git.ts';
import { checkTree } from './tree-rules.ts';

export interface FetchFolderOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly onProgress?: ((line: string) => void) | undefined;
}

export interface FetchedFolder extends AsyncDisposable {
  readonly directory: string;
}

/** A `.skill` file is a zip archive. Undefined for another name. */
export function folderFormat(name: string): ArchiveFormat | undefined {
  if (/\.(?:skill|zip)$/i.test(name)) return 'zip';
  return /\.(?:tar\.gz|tgz)$/i.test(name) ? 'tar.gz' : undefined;
}

/** `source`: the address of a repository or an archive, or the path of an archive. Throws ExtensionError or AbortError. */
export async function fetchFolder(source: string, options: FetchFolderOptions): Promise<FetchedFolder> {
  const stage = join(realpathSync(tmpdir()), `castor-fetch-${builtin.crypto.randomUUID()}`);
  mkdirSync(stage, { mode: 0o700 });
  const remove = () => rmSync(stage, { recursive: true, force: true });
  const directory = join(stage, 'tree');
  try {
    await fetchInto(directory, join(stage, 'archive'), source, options);
    checkTree(directory);
  } catch (error) {
    remove();
    throw error;
  }
  return { directory, [Symbol.asyncDispose]: async () => remove() };
}

async function fetchInto(directory: string, file: string, source: string, options: FetchFolderOptions): Promise<void> {
  const { environment, signal } = options;
  const isAddress = /^(?:[a-z+]+:\/\/|git@)/i.test(source);
  const format = folderFormat(/^https?:/i.test(source) ? (URL.parse(source)?.pathname ?? '') : source);
  if (isAddress && format !== undefined && /^https?:/i.test(source)) {
    await downloadFile(source, file, options);
    return extractArchive(file, format, directory, { signal, shown: source });
  }
  if (isAddress) {
    await fetchCommit(source, undefined, directory, { ...options, ...gitAccess(source, environment) });
    return;
  }
  if (format === undefined) throw new ExtensionError(`${source} is neither an address nor an archive.`);
  await extractArchive(source, format, directory, { signal });
}
