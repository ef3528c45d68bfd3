/** Finds the session a person means: by its id, by its place in the list, or the one used last. */

import { statSync } from 'node:fs';
import { SessionError } from './session-error.ts';
import { isSessionId } from './session-file.ts';
import { findSessionFiles, listSessions, summarizeSession } from './session-list.ts';
import type { ProjectSessions, SessionSummary } from './session-list.ts';

/** Undefined when `latest` is asked for and there is none. Throws SessionError for what cannot be found. */
export async function findSession(wanted: string, project: ProjectSessions): Promise<SessionSummary | undefined> {
  const word = wanted.trim();
  if (word === '' || word === 'latest') return findLatest(project);
  if (!isSessionId(word)) {
    throw new SessionError(
      'invalid',
      `Invalid session "${wanted}": use "latest", a number of --list-sessions, or a session id.`,
    );
  }
  const byId = findSessionById(word, project);
  if (byId) return byId;
  const sessions = await listSessions(project);
  const found = /^\d+$/.test(word) ? sessions[Number(word) - 1] : undefined;
  if (found) return found;
  if (sessions.length === 0) throw new SessionError('not_found', 'No previous sessions found for this project.');
  const all = sessions.length === 1 ? 'the one session' : `the ${sessions.length} sessions`;
  throw new SessionError(
    'not_found',
    `Invalid session identifier "${wanted}". Use --list-sessions to see ${all} of this project.`,
  );
}

/** The newest file of the session. */
export function findSessionById(sessionId: string, project: ProjectSessions): SessionSummary | undefined {
  return findSessionFiles(project, sessionId)
    .flatMap((path) => summarizeSession(path) ?? [])
    .filter(({ id }) => id === sessionId)
    .sort((one, other) => other.lastUpdated - one.lastUpdated)[0];
}

/** The one written to last: only the newest files are looked into. */
function findLatest(project: ProjectSessions): SessionSummary | undefined {
  const files = findSessionFiles(project).flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? [{ path, mtimeMs: stat.mtimeMs }] : [];
  });
  files.sort((one, other) => other.mtimeMs - one.mtimeMs);
  for (const { path } of files) {
    const summary = summarizeSession(path);
    if (summary) return summary;
  }
  return undefined;
}
