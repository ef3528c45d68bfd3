/** Finds the link through which a path leads elsewhere than it says. It only reads. */

import { lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The topmost folder above the path that is a link; undefined where the path means what it says, or its folder is missing. */
export function linkAbove(path: string): string | undefined {
  const folder = dirname(path);
  let real: string;
  try {
    real = realpathSync.native(folder);
  } catch {
    // Missing, perhaps behind a dangling link.
    return firstLink(folder);
  }
  return real === folder ? undefined : (firstLink(folder) ?? folder);
}

function firstLink(folder: string): string | undefined {
  const names = folder.split('/').slice(1);
  return names
    .map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`)
    .find((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink());
}
