/** Finds sessions whatever folder they belong to, for surfaces that know a session by its id alone. */

import { readdirSync } from 'node:fs';
import { readProjectRoot, tempRoot } from '../config/project-registry.ts';
import { join } from 'node:path';
import { isSessionId } from './session-file.ts';
import { findSessionById } from './session-find.ts';
import { listSessions } from './session-list.ts';
import type { SessionSummary } from './session-list.ts';

export interface PlacedSession extends SessionSummary {
  /** The project's folder. */
  root: string;
}

/** Newest first; those of one folder, or of all. Never throws. */
export async function listAllSessions(home: string, root?: string): Promise<PlacedSession[]> {
  const roots = root === undefined ? projectRoots(home) : [root];
  const lists = await Promise.all(
    roots.map(async (each) => (await listSessions({ home, root: each })).map((found) => ({ ...found, root: each }))),
  );
  return lists.flat().sort((one, other) => other.lastUpdated - one.lastUpdated);
}

/** The folder a session belongs to; undefined for an unknown id. */
export function findSessionRoot(home: string, sessionId: string): string | undefined {
  if (!isSessionId(sessionId)) return undefined;
  return projectRoots(home).find((root) => findSessionById(sessionId, { home, root }) !== undefined);
}

function projectRoots(home: string): string[] {
  const folder = tempRoot(home);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Nothing was ever recorded.
    return [];
  }
  return names.flatMap((name) => readProjectRoot(join(folder, name)) ?? []);
}
