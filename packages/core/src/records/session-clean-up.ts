/** cleanUpSessions: removes sessions that have had their time. Loaded when it runs, so that no start waits for it. */

import type { CleanUpOptions, CleanUpResult } from './session-retention.ts';

/** Never throws. */
export async function cleanUpSessions(options: CleanUpOptions): Promise<CleanUpResult> {
  const { removeOldSessions } = await import('./session-retention.ts');
  return removeOldSessions(options);
}
