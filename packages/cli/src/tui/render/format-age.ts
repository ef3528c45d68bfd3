/** Formats how long ago something happened, in words. Pure. */

import { countOf } from '@castor/core/program';

const STEPS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1000);
  const step = STEPS.find(([length]) => seconds >= length);
  if (!step) return 'just now';
  return `${countOf(Math.floor(seconds / step[0]), step[1])} ago`;
}

/** For a column: `5 min`, `2 h`, `4 d`. */
export function shortAge(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  if (minutes < 60) return minutes === 0 ? 'now' : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
