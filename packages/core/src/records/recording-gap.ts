/**
 * A session that was not recorded to its end says so by an empty file beside it, which
 * even a full disk takes: what was done after its last line cannot be known from it.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';

export function lossPath(sessionPath: string): string {
  return `${sessionPath}.lost`;
}

/** Never throws: a disk that takes no name either leaves nothing to be done. */
export function markLoss(sessionPath: string): void {
  try {
    writeFileSync(lossPath(sessionPath), '', { mode: 0o600 });
  } catch {
    // Read-only or deleted since: then the session cannot be resumed either.
  }
}

export function hasLoss(sessionPath: string): boolean {
  return existsSync(lossPath(sessionPath));
}

export function forgetLoss(sessionPath: string): void {
  rmSync(lossPath(sessionPath), { force: true });
}
