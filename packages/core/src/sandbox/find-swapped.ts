/** Finds a mount of a plan that no longer means what it says, because a command could put a link in its place. It only reads. */

import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { isWithin } from './hidden-paths.ts';
import { linkAbove } from './link-above.ts';
import type { SandboxPlan } from './sandbox-plan.ts';

export function findSwapped({ mounts }: SandboxPlan, roots: readonly string[]): string | undefined {
  const writable = mounts.filter(({ kind }) => kind === 'writable').map(({ path }) => path);
  const inside = mounts.filter(
    ({ path, source, kind }) =>
      source === undefined &&
      (kind === 'writable' || kind === 'read-only') &&
      [...roots, ...writable].some((folder) => path !== folder && isWithin(path, folder)),
  );
  const folders = new Map<string, boolean>();
  const isBehindLink = (path: string) => {
    const folder = dirname(path);
    const known = folders.get(folder) ?? linkAbove(path) !== undefined;
    folders.set(folder, known);
    return known;
  };
  return inside.find(({ path }) => isBehindLink(path) || !isPlain(path))?.path;
}

/** What is gone fails at the start, and opens nothing. */
function isPlain(path: string): boolean {
  return !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
}
