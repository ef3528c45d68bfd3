/** Which files with credentials lie inside a workspace, without those the user granted. Loaded by the first path. */

import { resolve } from 'node:path';
import { readGrants } from '../sandbox/grants.ts';
import { hiddenPaths, isWithin } from '../sandbox/hidden-paths.ts';
import { isInside } from '../util/is-inside.ts';

/** Only a workspace around the home folder has any. */
export function findHiddenPaths(home: string, directories: readonly string[]): string[] {
  const around = directories.map((each) => resolve(each)).filter((each) => isInside(home, each));
  if (around.length === 0) return [];
  const granted = readGrants(home).filter(
    ({ kind, root }) => kind !== 'host' && around.some((each) => isWithin(each, root)),
  );
  return hiddenPaths(home).filter((path) => !granted.some(({ what }) => isWithin(path, what)));
}
