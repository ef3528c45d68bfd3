/** Which files with credentials lie inside a workspace, without those the user granted. Seldom any: it loads nothing then. */

import { resolve } from 'node:path';
import { isInside } from '../util/is-inside.ts';

/** Only a workspace around the home folder has any. */
export async function findHiddenPaths(home: string, directories: readonly string[]): Promise<string[]> {
  const around = directories.map((each) => resolve(each)).filter((each) => isInside(home, each));
  if (around.length === 0) return [];
  const { hiddenPaths, isWithin } = await import('../sandbox/hidden-paths.ts');
  const { readGrants } = await import('../sandbox/grants.ts');
  const granted = readGrants(home).filter(
    ({ kind, root }) => kind !== 'host' && around.some((each) => isWithin(each, root)),
  );
  return hiddenPaths(home).filter((path) => !granted.some(({ what }) => isWithin(path, what)));
}
