/**
 * Tells, by the times that a file system keeps, whether a change between two walks can be the work of the calls that ran
 * in a part of that time. What was certainly made before they began or after they ended belongs to no call, and what
 * another program made and a call then changed is unclear: undo touches neither. Pure but for the clock's offset.
 */

import { statfsSync } from 'node:fs';
import type { Stats } from 'node:fs';

/** In milliseconds since the epoch. */
export interface CallSpan {
  /** When the first of the calls began, by the clock of files. */
  readonly from: number;
  /** When the last of them ended, by the time of day; absent while one runs. */
  readonly to?: number | undefined;
}

/** `other`: not made by a call. */
export type Maker = 'call' | 'other' | 'unclear';

/** How a folder came to its path: it was there at the last walk, or what is new below it came with it. */
export type Arrival = 'known' | 'call' | 'other';

type Times = Pick<Stats, 'birthtimeMs' | 'ctimeMs'>;

/** The clocks of two file systems may be a tick apart: a time may be that much before the moment it is about. */
const TICK_MS = 20;
/** The difference between the two clocks of the system moves by less than this, unless the time of day is set. */
const STEADY_MS = 50;

/** File systems whose times come from this machine's clock; a server's clock proves nothing. */
const LOCAL: ReadonlySet<number> = new Set([
  ...[0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0x01_02_19_94, 0x79_4c_76_30],
  ...[0x2f_c1_2f_c1, 0xf2_f5_20_10, 0xca_45_1a_4e],
]);

/** Whether the times of files below a folder can be compared with the clock of this machine. */
export function hasLocalTimes(folder: string): boolean {
  // The numbers are Linux's.
  return process.platform === 'linux' && LOCAL.has(statfsSync(folder).type);
}

/** Two readings that are this close are of one moment. */
const CLOSE_MS = 1;
const CLOSE_TRIES = 50;
const SYSTEM_CLOCKS = { timeOfDay: () => Date.now(), steady: () => performance.now() };

/**
 * Moves when the time of day is set, or the machine slept. The process has a low priority and may lose the processor between the readings
 * of the two clocks, which would look the same: so the closest pair of readings counts.
 */
export function clockOffset({ timeOfDay, steady } = SYSTEM_CLOCKS): number {
  let closest = { apart: Number.POSITIVE_INFINITY, offset: 0 };
  for (let tries = 0; tries < CLOSE_TRIES && closest.apart > CLOSE_MS; tries++) {
    const from = steady();
    const offset = timeOfDay() - from;
    const apart = steady() - from;
    if (apart < closest.apart) closest = { apart, offset };
  }
  return closest.offset;
}

export function isSteady(before: number, now: number): boolean {
  return Math.abs(now - before) < STEADY_MS;
}

export class ChangeEvidence {
  private readonly from: number;
  private readonly to: number;
  private readonly lastWalk: number;

  /** `lastWalk`: when the walk that the changes are compared with began. */
  constructor({ from, to = Number.POSITIVE_INFINITY }: CallSpan, lastWalk: number) {
    this.from = from;
    this.to = to;
    this.lastWalk = lastWalk;
  }

  /** The maker of a path that exists and changed. `isKnown`: the last walk saw the same file, folder or link there. */
  ofPresent(
    found: Times,
    { isKnown, isFolder, parent }: { isKnown: boolean; isFolder: boolean; parent: Arrival },
  ): Maker {
    if (!isKnown && this.isBornBefore(found)) return this.isEarly(found) ? 'other' : 'unclear';
    if (this.isEarly(found)) return !isKnown && parent === 'call' ? 'call' : 'other';
    if (!this.isLate(found)) return 'call';
    if (found.birthtimeMs >= this.to + 1) return 'other';
    // The time of a folder says when something was put into it.
    return isFolder && !isKnown && found.birthtimeMs >= this.from - TICK_MS ? 'call' : 'unclear';
  }

  /** The maker of a path that is gone. `parent`: the deepest folder above it that is still the same. */
  ofGone(parent: Times | null): Maker {
    return parent && this.isEarly(parent) ? 'other' : 'call';
  }

  /** How a folder that is new at its path came there. What is in a folder that was moved keeps its times. */
  arrivalOf(found: Times, parent: Arrival): Arrival {
    if (this.isBornBefore(found) || found.birthtimeMs >= this.to + 1) return 'other';
    return this.isEarly(found) && parent !== 'call' ? 'other' : 'call';
  }

  private isEarly({ ctimeMs }: Times): boolean {
    return ctimeMs < this.from - TICK_MS;
  }

  /** A time is never after the moment it is about. */
  private isLate({ ctimeMs }: Times): boolean {
    return ctimeMs >= this.to + 1;
  }

  /** Made between the last walk and the first call. Where a file system keeps no such time, it is zero. */
  private isBornBefore({ birthtimeMs }: Times): boolean {
    return birthtimeMs >= this.lastWalk + 1 && birthtimeMs < this.from - TICK_MS;
  }
}
