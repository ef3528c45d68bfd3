/** Reads the branch of a folder from its files: starting git would cost more than the whole prompt. */

import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The branch, or the beginning of a commit; undefined outside a repository. */
export function readBranch(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const head = readHead(join(current, '.git'));
    if (head !== undefined) {
      const reference = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
      return reference ?? /^[0-9a-f]{7}/.exec(head)?.[0];
    }
    if (dirname(current) === current) return undefined;
  }
}

function readHead(git: string): string | undefined {
  try {
    const { isFile } = describe(git);
    // A worktree or a submodule: the file names the folder.
    const folder = isFile ? resolve(dirname(git), /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '') : git;
    return readFileSync(join(folder, 'HEAD'), 'utf8').slice(0, 1_000);
  } catch {
    // Missing or unreadable: there is no branch to show.
    return undefined;
  }
}

function describe(path: string): { isFile: boolean } {
  return { isFile: statSync(path).isFile() };
}
