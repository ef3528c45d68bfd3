/** Finds the files of a project's sessions by their names, without opening one. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProjectDirectories } from '../config/project-registry.ts';
import { isSessionFileName, mayHoldSession } from './session-file.ts';

export interface ProjectSessions {
  home: string;
  root: string;
}

/** Files of the project's main sessions; with an id only those that may hold that session. */
export function findSessionFiles(project: ProjectSessions, sessionId?: string): string[] {
  const fits = (name: string) => (sessionId === undefined ? isSessionFileName(name) : mayHoldSession(name, sessionId));
  return findFiles(project, fits);
}

/** Other files in the folder of sessions: locks and unfinished files. */
export function findLeftovers(project: ProjectSessions): string[] {
  return findFiles(project, (name) => /^session-.*\.jsonl?\.(lock|tmp)/.test(name));
}

function findFiles({ home, root }: ProjectSessions, fits: (name: string) => boolean): string[] {
  return findProjectDirectories(home, root).flatMap((directory) => {
    const chats = join(directory, 'chats');
    return namesIn(chats)
      .filter(fits)
      .map((name) => join(chats, name));
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // The project has no recorded session.
    return [];
  }
}
