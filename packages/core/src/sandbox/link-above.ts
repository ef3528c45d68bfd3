/** Finds the link through which a path leads elsewhere than it says. It only reads. */

import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The topmost folder above the path that is a link; undefined where the path means what it says, or its folder is missing. */
export function linkAbove(path: string): string | undefined {
  return linkTo(dirname(path));
}

/** The same for many paths at one moment: each folder is looked at once. */
export function linksAbove(): typeof linkAbove {
  const known = new Map<string, string | undefined>();
  return (path) => {
    const folder = dirname(path);
    if (!known.has(folder)) known.set(folder, linkTo(folder));
    return known.get(folder);
  };
}

function linkTo(folder: string): string | undefined {
  try {
    // Asked first, because an exception takes longer than both calls.
    if (statSync(folder, { throwIfNoEntry: false })) {
      const real = realpathSync.native(folder);
      return real === folder ? undefined : (firstLink(folder) ?? folder);
    }
  } catch {
    // It cannot be reached, or is gone by now.
  }
  // Missing, perhaps behind a dangling link.
  return firstLink(folder);
}

function firstLink(folder: string): string | undefined {
  const names = folder.split('/').slice(1);
  return names
    .map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`)
    .find((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink());
}
