/** Finds a mount of a plan that no longer means what it says, because a command could put a link in its place. It only reads. */

import { lstatSync } from 'node:fs';
import { isWithin } from './hidden-paths.ts';
import { linksAbove } from './link-above.ts';
import type { SandboxPlan } from './sandbox-plan.ts';

/** A plan never changes, and a session asks about the same one before each command. */
const inner = new WeakMap<SandboxPlan, readonly string[]>();

export function findSwapped(plan: SandboxPlan, roots: readonly string[]): string | undefined {
  const inside = inner.get(plan) ?? pathsInside(plan, roots);
  inner.set(plan, inside);
  const find = linksAbove();
  return inside.find((path) => find(path) !== undefined || !isPlain(path));
}

/** The mounts that lie in a folder which commands can write. */
function pathsInside({ mounts }: SandboxPlan, roots: readonly string[]): string[] {
  const writable = mounts.filter(({ kind }) => kind === 'writable').map(({ path }) => path);
  const folders = [...new Set([...roots, ...writable])];
  return mounts
    .filter(({ source, kind }) => source === undefined && (kind === 'writable' || kind === 'read-only'))
    .map(({ path }) => path)
    .filter((path) => folders.some((folder) => path !== folder && isWithin(path, folder)));
}

/** What is gone fails at the start, and opens nothing. */
function isPlain(path: string): boolean {
  return !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
}
