/**
 * Finds files whose path has the same ending as a wrong one, for the error message. It
 * only names them: an edit redirected to a path other than the one the policy checked
 * would bypass the policy.
 */

import { isAbsolute, posix } from 'node:path';
import { EXCLUDED_DIRECTORIES, openDirectoryScope } from './search-scope.ts';
import { walkFiles } from './walk-files.ts';
import type { Workspace } from './workspace.ts';

const TIMEOUT_MS = 2_000;
const MAX_FOUND = 5;

/** Paths relative to the root; empty for an absolute path, and when the search fails or takes too long. */
export async function findBySuffix(workspace: Workspace, given: string): Promise<string[]> {
  const wanted = posix.normalize(given.replaceAll('\\', '/')).replace(/^(\.\.?\/)+/, '');
  if (isAbsolute(given) || wanted === '' || wanted === '.') return [];
  try {
    const scope = await openDirectoryScope(workspace, '.');
    const found = await walkFiles(workspace, scope, {
      excludedDirectories: EXCLUDED_DIRECTORIES,
      select: (files) => files.filter((file) => file === wanted || file.endsWith(`/${wanted}`)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return found.sort().slice(0, MAX_FOUND);
  } catch {
    // Only a hint: the error is reported anyway.
    return [];
  }
}
