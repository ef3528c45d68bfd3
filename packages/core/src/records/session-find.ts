/** Finds the session the user names: by its id, a prefix of its id, its index in the list, or the latest. */

import { statSync } from 'node:fs';
import { SessionError } from './session-error.ts';
import { isSessionId } from './session-file.ts';
import { findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { listSessions, summarizeSession } from './session-list.ts';
import type { SessionSummary } from './session-list.ts';

/** Undefined when `latest` is requested and the project has no session. Throws SessionError for an unknown session. */
export async function findSession(wanted: string, project: ProjectSessions): Promise<SessionSummary | undefined> {
  const word = wanted.trim();
  if (word === '' || word === 'latest') return findLatest(project);
  if (!isSessionId(word)) {
    throw new SessionError(
      'invalid',
      `Invalid session "${wanted}": use "latest", a number of the list of sessions, or a session id.`,
      { wanted },
    );
  }
  const byId = findSessionById(word, project);
  if (byId) return byId;
  const sessions = await listSessions(project);
  const found = /^\d+$/.test(word) ? sessions[Number(word) - 1] : undefined;
  if (found) return found;
  const byPrefix = findByPrefix(word, sessions);
  if (byPrefix) return byPrefix;
  if (sessions.length === 0) throw new SessionError('not_found', 'No previous sessions found for this project.');
  throw new SessionError('not_found', `Invalid session identifier "${wanted}".`, { wanted });
}

/** A shorter prefix could be a mistyped index. */
const SHORTEST_PREFIX = 6;

/** The session whose id starts with the prefix. Throws SessionError when several do. */
function findByPrefix(word: string, sessions: readonly SessionSummary[]): SessionSummary | undefined {
  if (word.length < SHORTEST_PREFIX) return undefined;
  const found = sessions.filter(({ id }) => id.startsWith(word));
  if (new Set(found.map(({ id }) => id)).size <= 1) return found.at(-1);
  const ids = found.map(({ id }) => id).join(', ');
  throw new SessionError('invalid', `Session "${word}" is ambiguous: ${ids}. Write more of the id.`);
}

/** The newest file of the session. */
export function findSessionById(sessionId: string, project: ProjectSessions): SessionSummary | undefined {
  return findSessionFiles(project, sessionId)
    .flatMap((path) => summarizeSession(path) ?? [])
    .filter(({ id }) => id === sessionId)
    .sort((one, other) => other.lastUpdated - one.lastUpdated)[0];
}

/** The most recently written session: opens only the newest files. */
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
