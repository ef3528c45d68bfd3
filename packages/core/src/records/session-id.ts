/** Creates a session id: a version 4 UUID. Unique, not secret, so the clock's random numbers suffice. */

import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';

export function createSessionId(clock: Clock = systemClock): string {
  const digit = (mask = 0xf, base = 0) => ((Math.floor(clock.random() * 16) & mask) | base).toString(16);
  const digits = (count: number) => Array.from({ length: count }, () => digit()).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${digit(0x3, 0x8)}${digits(3)}-${digits(12)}`;
}
