/** Checks an id that a caller chose for a new session. Loaded only for such an id. */

import { findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { SessionError } from './session-error.ts';
import { isSessionId } from './session-file.ts';

/** Throws SessionError for an invalid id and for that of a session that exists. */
export async function assertFree(sessionId: string, project: ProjectSessions): Promise<void> {
  if (!isSessionId(sessionId)) {
    throw new SessionError('invalid', 'Invalid session id: use at most 128 letters, digits, "-" and "_".');
  }
  if (findSessionFiles(project, sessionId).length === 0) return;
  const { findSessionById } = await import('./session-find.ts');
  if (!findSessionById(sessionId, project)) return;
  throw new SessionError('exists', `Session ID "${sessionId}" already exists.`, { wanted: sessionId });
}
