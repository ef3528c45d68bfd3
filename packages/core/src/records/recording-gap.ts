/**
 * Marks a session whose recording stopped early with an empty file beside it, which even a
 * full disk accepts: the session file does not show what happened after its last line.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';

export function lossPath(sessionPath: string): string {
  return `${sessionPath}.lost`;
}

/** Never throws: when even the marker cannot be created, no other way is left. */
export function markLoss(sessionPath: string): void {
  try {
    writeFileSync(lossPath(sessionPath), '', { mode: 0o600 });
  } catch {
    // The folder became read-only or was deleted: then the session cannot be resumed either.
  }
}

export function hasLoss(sessionPath: string): boolean {
  return existsSync(lossPath(sessionPath));
}

export function forgetLoss(sessionPath: string): void {
  rmSync(lossPath(sessionPath), { force: true });
}
