/** Guesses the known name a user meant by a mistyped one. */

import { editDistance } from '@castor/core/program';

/** Undefined when no known name is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: candidate.startsWith(name) ? 1 : editDistance(name, candidate) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}
