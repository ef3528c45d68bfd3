/** Deletes sessions with the files of their sub-agents and long outputs, except sessions locked by a live process. */

import { readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SessionError } from './session-error.ts';
import { isSessionId } from './session-file.ts';
import { findSession } from './session-find.ts';
import { findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { summarizeSession } from './session-list.ts';
import type { SessionSummary } from './session-list.ts';
import { replaySession } from './replay-session.ts';
import { findLockHolder, lockPath } from './session-lock.ts';
import { lossPath } from './recording-gap.ts';

/** `wanted`: a session's id, or its index in the list. Throws SessionError. */
export async function deleteSession(wanted: string, project: ProjectSessions): Promise<SessionSummary> {
  if (wanted.trim() === '' || wanted.trim() === 'latest') {
    throw new SessionError('invalid', `Invalid session "${wanted}": use its number or its id.`);
  }
  const session = await findSession(wanted, project);
  if (!session) throw new SessionError('not_found', `Unknown session "${wanted}".`);
  const files = findSessionFiles(project, session.id).filter((path) => summarizeSession(path)?.id === session.id);
  const holder = files.map(findLockHolder).find((found) => found !== undefined);
  if (holder) {
    const { pid } = holder;
    const what = `Session ${session.id} is in use by process ${pid} and was not deleted.`;
    throw new SessionError('locked', `${what} Wait for it or end it, then delete the session.`, { pid });
  }
  for (const path of files) removeSessionFile(path, session.id);
  return session;
}

/** Also removes the files that belong to this session alone. Reads a missing id from the file. */
export function removeSessionFile(path: string, sessionId = readSessionId(path)): void {
  const chats = dirname(path);
  rmSync(path, { force: true });
  rmSync(lockPath(path), { force: true });
  rmSync(lossPath(path), { force: true });
  if (sessionId === undefined || !isSessionId(sessionId) || basename(chats) !== 'chats') return;
  rmSync(join(chats, sessionId), { recursive: true, force: true });
  rmSync(join(dirname(chats), 'tool-outputs', `session-${sessionId}`), { recursive: true, force: true });
}

function readSessionId(path: string): string | undefined {
  return replaySession(readFileSync(path)).metadata.sessionId;
}
