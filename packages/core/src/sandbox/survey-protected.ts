/**
 * Looks for what a command may not change inside the workspace: protected files that exist are mounted read-only, and the paths where a
 * mount is impossible are listed to be compared after each command. It only reads.
 */

import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { linkedRepositories, namedHooksFolder, submoduleFolders, worktreeFolders } from './git-folders.ts';
import { isWithin } from './hidden-paths.ts';
import { linkAbove } from './link-above.ts';
import {
  PROTECTED_IN_GIT,
  PROTECTED_IN_HOME,
  PROTECTED_IN_WORKTREE,
  PROTECTED_NAMES,
  WRITTEN_BY_BORROWERS,
  WRITTEN_BY_WORKTREES,
} from './protected-names.ts';
import { readPlainText } from './read-plain-file.ts';

export interface ProtectedFacts {
  protectedPaths: string[];
  /** Absent or links, or too many to be mounted. */
  watched: string[];
  /** Parts of a repository outside the roots whose worktree is inside. */
  repository: string[];
  /** Whether repositories inside the workspace were not all looked for, because it has too many folders. */
  isCutShort: boolean;
}

/** Repositories inside the workspace are looked for this deep, and in this many folders. */
const REPOSITORY_DEPTH = 4;
const MAX_FOLDERS = 5000;
/** Each costs every command four mounts or more. Further ones are compared after each command. */
const MAX_MOUNTED = 100;
export const UNSEARCHED: ReadonlySet<string> = new Set(
  'node_modules .git .venv venv target dist .next __pycache__'.split(' '),
);

/** Real paths. */
export function surveyProtected(home: string, roots: readonly string[], borrowsRepository = false): ProtectedFacts {
  // Not read from HEAD, which a command can write.
  const shared = borrowsRepository ? WRITTEN_BY_BORROWERS : WRITTEN_BY_WORKTREES;
  const { repositories, isCutShort } = findRepositories(roots);
  const protectedPaths: string[] = [];
  const watched: string[] = [];
  const repository: string[] = [];
  const sort = (path: string, canMount = true) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // A mount below a link would open or cover what the link leads to.
    const isReal = canMount && linkAbove(path) === undefined;
    if (isReal && (found?.isFile() || found?.isDirectory())) protectedPaths.push(path);
    else watched.push(path);
  };
  for (const root of roots) for (const name of PROTECTED_NAMES) sort(join(root, name));
  if (roots.some((root) => isWithin(home, root))) for (const name of PROTECTED_IN_HOME) sort(join(home, name));
  let left = MAX_MOUNTED;
  const isMounted = (folder: string) => roots.includes(folder) || left-- > 0;
  for (const folder of new Set([...roots, ...repositories])) {
    const git = join(folder, '.git');
    const found = lstatSync(git, { throwIfNoEntry: false });
    if (!found?.isDirectory()) sort(git, isMounted(folder));
    if (found?.isFile()) {
      const parts = partsOfRepository(folder, git, shared);
      repository.push(...parts);
      if (parts[0] !== undefined) for (const name of PROTECTED_IN_WORKTREE) sort(join(parts[0], name));
    }
    if (!found?.isDirectory()) continue;
    for (const each of [git, ...submoduleFolders(git)]) {
      const canMount = isMounted(each === git ? folder : each);
      for (const name of PROTECTED_IN_GIT) sort(join(each, name), canMount);
    }
    // git removes worktrees, which a mount would prevent.
    for (const each of worktreeFolders(git)) for (const name of PROTECTED_IN_WORKTREE) sort(join(each, name), false);
    const hooks = namedHooksFolder(folder, home);
    if (hooks !== undefined && roots.some((root) => hooks !== root && isWithin(hooks, root))) sort(hooks);
  }
  return { protectedPaths: [...new Set(protectedPaths)], watched: [...new Set(watched)], repository, isCutShort };
}

function findRepositories(roots: readonly string[]): { repositories: string[]; isCutShort: boolean } {
  // git enters them however deep they are.
  const repositories = roots.flatMap((root) => linkedRepositories(root).filter(isFolder));
  let folders = [...roots];
  let visited = 0;
  for (let depth = 0; depth < REPOSITORY_DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (++visited > MAX_FOLDERS) return { repositories, isCutShort: true };
      const entries = entriesOf(folder);
      if (depth > 0 && entries.some(({ name }) => name === '.git')) repositories.push(folder);
      for (const entry of entries)
        if (entry.isDirectory() && !UNSEARCHED.has(entry.name)) next.push(join(folder, entry.name));
    }
    folders = next;
  }
  return { repositories, isCutShort: false };
}

/**
 * A worktree's `.git` names a folder of its repository. Only if that folder names the worktree in turn are parts of the
 * repository writable: the file could point anywhere. The worktree's own folder comes first.
 */
function partsOfRepository(worktree: string, gitFile: string, shared: readonly string[]): string[] {
  const pointer = /^gitdir: (.+)$/m.exec(readPlainText(gitFile))?.[1];
  if (pointer === undefined) return [];
  const own = realPath(resolve(worktree, pointer));
  if (own === undefined) return [];
  const back = readPlainText(join(own, 'gitdir')).trim();
  if (back === '' || realPath(resolve(own, back)) !== realPath(gitFile)) return [];
  const common = realPath(resolve(own, readPlainText(join(own, 'commondir')).trim() || '../..'));
  if (common === undefined || !isWithin(own, common) || dirname(dirname(own)) !== common) return [];
  return [own, ...shared.map((name) => join(common, name))].filter(isFolder);
}

export function realPath(path: string): string | undefined {
  try {
    return isAbsolute(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

export function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
