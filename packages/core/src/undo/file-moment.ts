/**
 * The present by the clock that stamps files. That clock moves in ticks, and stands still for longer while a virtual
 * machine's processor is away: what a call changes may carry a time from before the system's time at its beginning.
 */

import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Never after the time of a file that changes from now on. `now`: where the folder takes no file. */
export function fileMoment(folder: string, now: number): number {
  const probe = join(folder, `moment-${process.pid}`);
  try {
    const file = openSync(probe, 'w', 0o600);
    try {
      return Math.min(now, fstatSync(file).ctimeMs);
    } finally {
      closeSync(file);
      rmSync(probe, { force: true });
    }
  } catch {
    // A full disk, for example.
    return now;
  }
}
