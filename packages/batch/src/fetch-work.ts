/** Fetches the work of a task that was pushed as a git ref, as a patch. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from './git.ts';
import type { GitOptions } from './git.ts';
import type { TaskPlace } from './task.ts';

/** Writes the patch to the path. Throws GitError. */
export async function fetchPatch(
  place: TaskPlace,
  ref: string,
  path: string,
  { environment }: Pick<GitOptions, 'environment'>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'castor-fetch-'));
  try {
    const inside = { environment, directory };
    await git(['init', '--quiet', '--bare'], inside);
    const from = place.kind === 'repository' ? place.url : place.folder;
    // The commit and its parent are enough for the difference.
    await git(['fetch', '--quiet', '--depth=2', '--', from, `${ref}:refs/castor/work`], inside);
    const plain = ['diff', '--no-ext-diff', '--no-textconv', '--no-renames', '--binary'];
    await git([...plain, 'refs/castor/work^', 'refs/castor/work'], { ...inside, output: path });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
