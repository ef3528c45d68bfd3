/** Copies a session up to a message into the sessions of another folder, where it goes on by itself, and counts what each cost. */

import { join } from 'node:path';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { AnswerTokens } from '../protocol/answer-tokens.ts';
import { toAnswerTokens } from './answer-tokens.ts';
import { readSessionFile } from './read-session-file.ts';
import { replaySession } from './replay-session.ts';
import { toHeader, toLines, writeSession } from './session-copy.ts';
import { toSessionError } from './session-error.ts';
import { findSession } from './session-find.ts';
import { sessionFileName } from './session-file.ts';
import { createSessionId } from './session-id.ts';
import type { ProjectSessions } from './project-sessions.ts';

/** Without a message: all of it. Returns the id of the copy. Throws SessionError. */
export async function branchSession(
  path: string,
  target: ProjectSessions,
  { before, summary }: { before?: string | undefined; summary: string },
): Promise<string> {
  const bytes = readSessionFile(path);
  const end = before === undefined ? -1 : bytes.indexOf(`\n{"id":${JSON.stringify(before)},`);
  const { metadata, messages } = replaySession(end < 0 ? bytes : bytes.subarray(0, end));
  const now = new Date(systemClock.now()).toISOString();
  const sessionId = createSessionId();
  const chats = join(await resolveProjectDirectory({ ...target, clock: systemClock }), 'chats');
  const file = join(chats, sessionFileName(sessionId, now));
  const header = { sessionId, summary, ...(metadata.sessionId !== undefined && { forkedFrom: metadata.sessionId }) };
  try {
    const kept = messages.filter(({ isInterrupted }) => !isInterrupted);
    writeSession(file, [toHeader(header, target, now), ...toLines(kept)]);
  } catch (error) {
    throw toSessionError(`The session cannot be written to ${file}`, error);
  }
  return sessionId;
}

/** The tokens of a session's answers after a time; none for a session that is gone. */
export async function tokensSince(wanted: string, project: ProjectSessions, since: string): Promise<AnswerTokens[]> {
  const session = await findSession(wanted, project).catch(() => undefined);
  if (!session) return [];
  const lines = readSessionFile(session.path).toString('utf8').split('\n');
  return lines.filter((line) => line.includes('"tokens"')).flatMap((line) => parseTokens(line, since));
}

function parseTokens(line: string, since: string): AnswerTokens[] {
  try {
    const message = JSON.parse(line) as Record<string, unknown>;
    const { timestamp } = message;
    const tokens = toAnswerTokens(message);
    return tokens && typeof timestamp === 'string' && timestamp > since ? [tokens] : [];
  } catch {
    // A torn line.
    return [];
  }
}
