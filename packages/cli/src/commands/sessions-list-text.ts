/** Times and JSON of listed sessions, of Castor and of other agents. */

import { countOf } from '@castor/core/program';
import { toJson } from '../to-json.ts';

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export function relativeTime(time: number, now: number): string {
  const passed = now - time;
  const [unit, length] = UNITS.find(([, each]) => passed >= each) ?? [];
  if (unit === undefined || length === undefined) return 'Just now';
  return `${countOf(Math.floor(passed / length), unit)} ago`;
}

/** With times as text, as in all JSON of this program. */
export function sessionsJson(value: unknown): string {
  const isTime = (key: string) => key === 'startTime' || key === 'lastUpdated';
  const withTimes = (key: string, field: unknown) => (isTime(key) ? new Date(Number(field)).toISOString() : field);
  return `${toJson(value, { indent: 2, replacer: withTimes })}\n`;
}
