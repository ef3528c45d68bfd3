/** How long sessions are kept, as the settings say it, and the clean-up that follows. The program does not wait for it. */

import { cleanUpSessions } from '@castor/core';
import type { Start } from './start.ts';

/** Sentences on what went wrong. Never throws. */
export async function removeOldSessions(
  { home, cwd, settings }: Pick<Start, 'home' | 'cwd' | 'settings'>,
  currentPath: string | undefined,
): Promise<readonly string[]> {
  const { maxCount, ...retention } = settings.general.sessionRetention;
  const { problems } = await cleanUpSessions({
    home,
    root: cwd,
    ...(currentPath !== undefined && { currentPath }),
    retention: { ...retention, ...(maxCount !== undefined && { maxCount }) },
  });
  return problems;
}
