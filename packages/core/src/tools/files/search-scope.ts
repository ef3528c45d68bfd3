/**
 * Where a search may look: the checked start of a search, the folders that it skips by
 * default, and the handle on it during the search. It owns what list, glob and grep have in
 * common; it reads no file.
 */

import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { open, readlink, stat } from 'node:fs/promises';
import { ToolError } from '../../protocol/errors.ts';
import { toFileError } from './opened-file.ts';
import type { Workspace } from './workspace.ts';

/** Never searched below the start, whatever the ignore files say. */
export const EXCLUDED_DIRECTORIES: readonly string[] = ['node_modules', '.git', 'bower_components', '.svn', '.hg'];

export interface SearchScope {
  /** The absolute name as the caller wrote it; shown, and asked of the ignore rules. */
  named: string;
  /** The same place without links; what is opened. */
  real: string;
  stats: Stats;
}

/** Throws ToolError when the place is not in the workspace or not there. Ignore files are read anew: commands change them too. */
export async function openScope(workspace: Workspace, path: string): Promise<SearchScope> {
  workspace.ignore.refresh();
  const named = workspace.resolve(path);
  const real = await workspace.checkPath(path);
  try {
    return { named, real, stats: await stat(real) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw toFileError(error, named, 'execution_failed');
    throw new ToolError(`Search path does not exist: ${named}`, 'search_path_not_found', { cause: error });
  }
}

export interface HeldPlace extends AsyncDisposable {
  /** The same place under a name that no swapped folder or link can turn elsewhere. */
  path: string;
}

const HOLD_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Holds what was checked, so that what is looked into is that and nothing put in its place. Only Linux has such names. */
export async function holdPlace(
  { real, named }: Pick<SearchScope, 'real' | 'named'>,
  kind: 'directory' | 'file' = 'directory',
): Promise<HeldPlace> {
  if (process.platform !== 'linux') return { path: real, async [Symbol.asyncDispose]() {} };
  // Merely opening a device can have effects.
  const handle = await open(real, kind === 'file' ? HOLD_FLAGS : HOLD_FLAGS | (constants.O_DIRECTORY ?? 0));
  const path = `/proc/${process.pid}/fd/${handle.fd}`;
  if ((await readlink(path)) !== real) {
    await handle.close();
    throw new ToolError(`The path was replaced while it was being opened: ${named}`, 'execution_failed');
  }
  return { path, [Symbol.asyncDispose]: () => handle.close() };
}

/** The same for a search, whose errors a model can read. */
export async function holdScope(scope: SearchScope): Promise<HeldPlace> {
  try {
    return await holdPlace(scope, scope.stats.isDirectory() ? 'directory' : 'file');
  } catch (error) {
    throw toFileError(error, scope.named, 'execution_failed');
  }
}

export async function openDirectoryScope(workspace: Workspace, path: string): Promise<SearchScope> {
  const scope = await openScope(workspace, path);
  if (scope.stats.isDirectory()) return scope;
  throw new ToolError(`Search path is not a directory: ${scope.named}`, 'search_path_not_a_directory');
}
