/**
 * The record that a repository keeps of a worktree. `git worktree add` starts two further gits: where the repository has nothing special, a
 * shell makes the record and one git fills the folder, just before the program starts in it.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { gitFirst } from './git.ts';
import type { GitOptions } from './git.ts';
import type { Start } from './starter.ts';

/** Extensions change how records are written, and git copies the patterns of a sparse checkout. */
export function isPlain(repository: string): boolean {
  try {
    const inGit = (...names: string[]) => join(repository, '.git', ...names);
    return (
      !/^\s*\[\s*(?:extensions|include)/im.test(readFileSync(inGit('config'), 'utf8')) &&
      !existsSync(inGit('info', 'sparse-checkout'))
    );
  } catch {
    // A linked worktree: its `.git` is a file.
    return false;
  }
}

/** A name that no other worktree of the repository has. */
export function newRecord(repository: string): string {
  return join(repository, '.git', 'worktrees', `castor-${crypto.randomUUID()}`);
}

/** Where a record is written: beside the folder of all records, on the same disk. */
export function unreadyOf(record: string): string {
  return join(dirname(dirname(record)), basename(record));
}

export interface Unmade {
  top: string;
  /** Inside the worktree. A folder that git does not know yet is empty there. */
  directory: string;
  record: string;
  base: string;
}

/**
 * The record appears at once: a git of the user reads all records, and fails on half of one. The end of the only other worktree takes their
 * folder away. What a killed worker left is used.
 */
const MAKE = `top=$1 folder=$2 record=$3 unready=$4 base=$5; shift 5
if ! test -e "$record"; then
  mkdir -p "$folder" "$unready" "\${record%/*}" || exit
  printf 'gitdir: %s\\n' "$record" >"$top/.git" && printf '%s\\n' "$base" >"$unready/HEAD" &&
    printf '../..\\n' >"$unready/commondir" && printf '%s\\n' "$top/.git" >"$unready/gitdir" || exit
  for again in 1 2 3 4 5; do mv -T "$unready" "$record" 2>/dev/null && break; mkdir -p "\${record%/*}"; done
fi
cd "$top" && exec "$@"`;

/** Makes the worktree with `base` as its detached HEAD. Harmless where it has been made before. */
export function makeFirst({ top, directory, record, base }: Unmade, options: Omit<GitOptions, 'directory'>) {
  const checkout = ['reset', '--hard', '--quiet', '--no-recurse-submodules'];
  const { words, environment } = gitFirst(checkout, { ...options, directory: '/' });
  const made = ['sh', '-c', MAKE, 'sh', top, directory, record, unreadyOf(record), base, ...words];
  return { words: made, directory: '/', environment } satisfies Start['first'];
}

/** The record of a worktree that git made, where both name each other. */
export function recordOf(top: string): string | undefined {
  try {
    const [, record] = /^gitdir: (.+)$/m.exec(readFileSync(join(top, '.git'), 'utf8')) ?? [];
    if (record === undefined || basename(dirname(record)) !== 'worktrees' || !isAbsolute(record)) return undefined;
    const isOwn = readFileSync(join(record, 'gitdir'), 'utf8').trim() === join(top, '.git');
    return isOwn && !existsSync(join(record, 'locked')) ? record : undefined;
  } catch {
    // No worktree, or half of one: git knows what to do.
    return undefined;
  }
}
