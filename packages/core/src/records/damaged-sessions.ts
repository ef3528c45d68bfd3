/** Finds session files that hold no readable record, so that a list can name what it leaves out. */

import { readFileSync } from 'node:fs';
import { findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { replaySession } from './replay-session.ts';

/** `listed` are the files that a list already shows: they are readable. */
export function findDamagedSessions(project: ProjectSessions, listed: readonly { path: string }[]): string[] {
  const known = new Set(listed.map(({ path }) => path));
  return findSessionFiles(project).filter((path) => !known.has(path) && isDamaged(path));
}

function isDamaged(path: string): boolean {
  try {
    const { badLines, messages, metadata } = replaySession(readFileSync(path));
    return badLines > 0 && messages.length === 0 && metadata.sessionId === undefined;
  } catch {
    // Removed in the meantime, or not readable at all.
    return false;
  }
}
