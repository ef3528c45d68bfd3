/** Removes the worktrees of agents whose program was killed. Loaded where there is one. */

import { sweepWorktrees } from '@castor/core/program';
import type { Start } from './start.ts';

/** Returns a sentence for each that left changes. Never throws. */
export async function removeLeftWorktrees({ home, cwd, environment }: Start): Promise<string[]> {
  const left = await sweepWorktrees({ home, root: cwd, environment });
  return left.flatMap(({ id, patch }) =>
    patch === undefined ? [] : [`The agent ${id} was cut off by the end of the program; its changes are in ${patch}.`],
  );
}
