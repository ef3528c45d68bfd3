/**
 * Finds the sessions of a project that changed files, for a user who works in a later one: which they are, what each of
 * their prompts changed, and in which of them an undo is possible.
 */

import { realpathSync } from 'node:fs';
import type { ProjectSessions } from '../records/project-sessions.ts';
import { readSessionFile } from '../records/read-session-file.ts';
import { listSessions } from '../records/session-list.ts';
import type { SessionSummary } from '../records/session-list.ts';
import { systemClock } from '../util/clock.ts';
import { openSessionUndo, openStore } from './open-session-undo.ts';
import type { OpenedUndo } from './open-session-undo.ts';
import { describeUnfinished, isCutOff } from './repair-cut-off.ts';
import { readUndoRecords } from './read-undo-records.ts';
import type { UndoRecord } from './read-undo-records.ts';
import { UndoDesk } from './undo-desk.ts';
import { NotInSession } from './undo-preview.ts';
import type { ListedPrompt } from './undo-preview.ts';

export interface ChangedSession {
  readonly session: SessionSummary;
  readonly prompts: readonly ListedPrompt[];
  /** What a kill left and was repaired for the list, as sentences. */
  readonly repaired?: readonly string[];
}

/** More are found by their id only. */
const MOST_SESSIONS = 30;

/** The latest first. Reads the files of the sessions, and nothing else. */
async function findChangedSessions(project: ProjectSessions): Promise<SessionSummary[]> {
  const sessions = (await listSessions(project)).toSorted((left, right) => right.lastUpdated - left.lastUpdated);
  const found: SessionSummary[] = [];
  for (const session of sessions) {
    if (found.length === MOST_SESSIONS) break;
    if (hasChanged(session.path)) found.push(session);
  }
  return found;
}

/** What each of them changed, the latest first. */
export async function listChangedSessions(project: ProjectSessions): Promise<ChangedSession[]> {
  const sessions = await findChangedSessions(project);
  if (sessions.length === 0) return [];
  const root = realpathSync(project.root);
  const client = await openStore(project, { root });
  try {
    const listed: ChangedSession[] = [];
    for (const session of sessions) {
      const { path, id } = session;
      const common = { root, path, clock: systemClock, record: () => undefined, client: async () => client };
      const found = isCutOff(path)
        ? await listSession(id, project)
        : { session, prompts: await new UndoDesk(common).list(), repaired: describeUnfinished(path) };
      if (found.prompts.some(isListed)) listed.push(found);
    }
    return listed;
  } finally {
    await client.close();
  }
}

/** One session, with what a kill left. Throws SessionError. */
export async function listSession(wanted: string, project: ProjectSessions): Promise<ChangedSession> {
  const { desk, session, repaired, close } = await openSessionUndo(wanted, project, { isWriting: false });
  try {
    return { session, prompts: await desk.list(), repaired: repaired.sentences };
  } finally {
    await close();
  }
}

/** Whether a list of changes names the prompt. */
export function isListed({ files, isUndone, calls }: ListedPrompt): boolean {
  return files > 0 || isUndone || calls.some(({ isCovered }) => !isCovered);
}

/**
 * Opens the session that the user named, else the latest one in which `find` does not throw NotInSession, with its
 * result. Throws SessionError and UndoError.
 */
export async function openUndoFor<T>(
  wanted: string | undefined,
  project: ProjectSessions,
  { isWriting, find }: { isWriting: boolean; find: (undo: OpenedUndo) => Promise<T> },
): Promise<{ undo: OpenedUndo; found: T }> {
  const changed = wanted === undefined ? (await findChangedSessions(project)).map(({ id }) => id) : [wanted];
  let problem: NotInSession | undefined;
  for (const id of changed.length > 0 ? changed : ['latest']) {
    const undo = await openSessionUndo(id, project, { isWriting });
    try {
      return { undo, found: await find(undo) };
    } catch (error) {
      await undo.close();
      if (!(error instanceof NotInSession)) throw error;
      problem ??= error;
    }
  }
  throw problem!;
}

function hasChanged(path: string): boolean {
  try {
    const { records, cutOff, prompts } = readUndoRecords(readSessionFile(path));
    const isChange = (record: UndoRecord) =>
      record.kind === 'edit' || (record.kind === 'walk' && record.callIds.length > 0 && record.count > 0);
    const isUncovered = prompts.some(({ calls }) => calls.some(({ isCovered }) => !isCovered));
    return cutOff.length > 0 || isUncovered || records.some(isChange);
  } catch {
    // Removed in the meantime, or unreadable.
    return false;
  }
}
