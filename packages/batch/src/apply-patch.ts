/** Makes a branch of a patch without touching the user's working tree or index. */

import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from './git.ts';
import type { GitOptions } from './git.ts';

export interface BranchOptions extends Pick<GitOptions, 'environment'> {
  /** The path of the patch. */
  patch: string;
  /** Of the branch. */
  name: string;
  message: string;
  folder: string;
  /** The commit that the patch is for. */
  base: string;
}

/** A branch that exists with the same content on the same commit is left as it is. Throws GitError, also for another one. */
export async function applyToBranch({ patch, name, message, folder, base, environment }: BranchOptions): Promise<void> {
  const directory = join(tmpdir(), `castor-branch-${crypto.randomUUID()}`);
  mkdirSync(directory, { mode: 0o700 });
  const index = { environment, directory: folder, variables: { GIT_INDEX_FILE: join(directory, 'index') } };
  try {
    await git(['read-tree', base], index);
    await git(['apply', '--cached', '--binary', '--whitespace=nowarn', patch], index);
    const tree = (await git(['write-tree'], index)).trim();
    const known = ['rev-parse', `refs/heads/${name}^{tree}`, `refs/heads/${name}^`];
    const have = await git(known, index).catch(() => '');
    if (have.trim() === `${tree}\n${base}`) return;
    const commit = (await git(['commit-tree', tree, '-p', base, '-m', message], index)).trim();
    await git(['branch', '--no-track', name, commit], index);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
