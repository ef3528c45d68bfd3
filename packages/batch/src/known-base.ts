/**
 * The commit that `HEAD` of a repository is, remembered while the repository's own log of HEAD stays as it is: a thousand tasks of one
 * repository do not start git a thousand times to ask the same.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isPlain } from './worktree-record.ts';

export interface Base {
  repository: string;
  /** The folder inside the repository, with a slash at its end; empty for the top. */
  prefix: string;
  base: string;
  /** Its worktrees need no git of their own to be made. */
  isPlain?: boolean;
}

interface Known extends Base {
  sign: string;
}

const known = new Map<string, Known>();
const MOST_KNOWN = 1_000;

export async function findHead(folder: string, find: () => Promise<Base>): Promise<Base> {
  const before = known.get(folder);
  if (before && signOf(before.repository) === before.sign) return before;
  const found = await find();
  // Taken after git has read HEAD: a commit in between changes the sign once more, or is the one that was found.
  const sign = signOf(found.repository);
  const again = sign === undefined ? undefined : await find();
  if (sign !== undefined && again?.base === found.base && signOf(found.repository) === sign) {
    if (known.size >= MOST_KNOWN) known.clear();
    const base = { ...found, isPlain: isPlain(found.repository) };
    known.set(folder, { ...base, sign });
    return base;
  }
  return found;
}

/** Changes with every commit, checkout, reset and setting. Undefined where git keeps no log of HEAD. */
function signOf(repository: string): string | undefined {
  try {
    return ['HEAD', 'config', join('logs', 'HEAD')]
      .map((name) => {
        const { ino, size, mtimeNs } = statSync(join(repository, '.git', name), { bigint: true });
        return `${ino}.${size}.${mtimeNs}`;
      })
      .join(' ');
  } catch {
    // A linked worktree, a bare repository, or one without a log.
    return undefined;
  }
}
