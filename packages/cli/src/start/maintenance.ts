/**
 * What a run does for the next ones, once its own work is under way: sessions that had
 * their time are removed, and settings files that use old names are brought up to date.
 * Nobody waits for it, and nothing of it can fail a run.
 */

import { removeOldSessions } from './session-retention.ts';
import type { Start } from './start.ts';

/** Sentences on what went wrong and somebody should know. Never throws. */
export async function runMaintenance(start: Start, currentPath: string | undefined): Promise<readonly string[]> {
  const { layers } = start.configuration;
  // The old names keep working, so that a file nobody may write is no problem.
  if (layers.some(({ migrations }) => migrations.length > 0)) {
    (await import('./settings-migrations.ts')).updateSettingsFiles(layers);
  }
  return removeOldSessions(start, currentPath);
}
