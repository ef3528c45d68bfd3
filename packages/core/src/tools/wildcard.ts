/** Matches names against patterns with `*` and `?` only. */

import { matchStars } from '../util/match-stars.ts';

export function matchesWildcard(name: string, pattern: string): boolean {
  return matchStars(name, pattern, (expected, character) => expected === '?' || expected === character);
}
