/**
 * Where a search may look: the checked start of a search and the folders nobody
 * means. It owns what list, glob and grep have in common before they look; it reads
 * no file.
 */

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ToolError } from '../protocol/errors.ts';
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

export async function openDirectoryScope(workspace: Workspace, path: string): Promise<SearchScope> {
  const scope = await openScope(workspace, path);
  if (scope.stats.isDirectory()) return scope;
  throw new ToolError(`Search path is not a directory: ${scope.named}`, 'search_path_not_a_directory');
}
