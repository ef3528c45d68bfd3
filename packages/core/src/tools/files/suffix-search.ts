/**
 * Files whose path ends as a wrong one does, for the sentence that says it is wrong. It
 * only names them: an edit that went to another path than the one the policy was asked
 * about would go past the policy.
 */

import { isAbsolute, posix } from 'node:path';
import { EXCLUDED_DIRECTORIES, openDirectoryScope } from './search-scope.ts';
import { walkFiles } from './walk-files.ts';
import type { Workspace } from './workspace.ts';

const TIMEOUT_MS = 2_000;
const MAX_FOUND = 5;

/** Relative to the root; empty for an absolute path, and where looking fails or takes too long. */
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
    // It is a hint beside an error that is told anyway.
    return [];
  }
}
