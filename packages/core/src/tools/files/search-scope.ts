/**
 * Defines where a search may look: its checked start, the folders it skips by default, and
 * the handle held during the search. It is shared by list, glob and grep; it reads no
 * file.
 */

import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { open, readlink, stat } from 'node:fs/promises';
import { ToolError } from '../../protocol/errors.ts';
import { toFileError } from './opened-file.ts';
import type { Workspace } from './workspace.ts';

/** Never searched below the start, whatever the ignore files contain. */
export const EXCLUDED_DIRECTORIES: readonly string[] = ['node_modules', '.git', 'bower_components', '.svn', '.hg'];

export interface SearchScope {
  /** The absolute name as the caller wrote it; for display and for the ignore rules. */
  named: string;
  /** The same place without links; the path to open. */
  real: string;
  stats: Stats;
}

/** Throws ToolError when the place is missing or outside the workspace. Reloads ignore files: commands change them too. */
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
  /** A path to the same place that a swapped folder or link cannot redirect. */
  path: string;
}

const HOLD_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Holds a handle on the checked place, so that the search uses it and not a replacement. Only Linux has such paths. */
export async function holdPlace(
  { real, named }: Pick<SearchScope, 'real' | 'named'>,
  kind: 'directory' | 'file' = 'directory',
): Promise<HeldPlace> {
  if (process.platform !== 'linux') return { path: real, async [Symbol.asyncDispose]() {} };
  // Opening a device can have side effects.
  const handle = await open(real, kind === 'file' ? HOLD_FLAGS : HOLD_FLAGS | (constants.O_DIRECTORY ?? 0));
  const path = `/proc/${process.pid}/fd/${handle.fd}`;
  if ((await readlink(path)) !== real) {
    await handle.close();
    throw new ToolError(`The path was replaced while it was being opened: ${named}`, 'execution_failed');
  }
  return { path, [Symbol.asyncDispose]: () => handle.close() };
}

/** The same for a search, with errors the model can read. */
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
