/**
 * Background work of a run for later runs: removes sessions past their retention and worktrees of killed processes,
 * and rewrites settings files that use old names. A failure of it fails no run.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUpSessions, findProjectDirectories } from '@castor/core/program';
import type { Start } from './start.ts';

/** Returns sentences on problems the user should know. Never throws. */
export async function runMaintenance(start: Start, currentPath: string | undefined): Promise<readonly string[]> {
  const { home, cwd, settings, configuration } = start;
  const { layers } = configuration;
  // The old names keep working, so a read-only file is not a problem.
  if (layers.some(({ migrations }) => migrations.length > 0)) {
    (await import('./settings-migrations.ts')).updateSettingsFiles(layers);
  }
  const retention = settings.general.sessionRetention;
  const { problems, deleted } = await cleanUpSessions({ home, root: cwd, currentPath, retention });
  if (deleted.length > 0) await (await import('./collect-undo.ts')).collectUndo(start, currentPath);
  if (!hasWorktrees(start)) return problems;
  const { removeLeftWorktrees } = await import('./left-worktrees.ts');
  return [...problems, ...(await removeLeftWorktrees(start))];
}

/** Whether agents of this project work in worktrees, or were killed there. */
export function hasWorktrees({ home, cwd }: Pick<Start, 'home' | 'cwd'>): boolean {
  const folders = findProjectDirectories(home, cwd).map((directory) => join(directory, 'worktrees'));
  return folders.some(
    (folder) => existsSync(folder) && readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory()),
  );
}
