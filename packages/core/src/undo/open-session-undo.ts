/**
 * Opens undo for a session that no program works on now, such as for `castor undo`: finds its file, starts the process
 * that knows the store, and repairs what a kill left. Only carrying out an undo keeps the session's lock, and completes an
 * undo that was cut off: a list or a preview puts on record what a killed command changed, and touches no file.
 */

import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { findSessionFiles } from '../records/project-sessions.ts';
import type { ProjectSessions } from '../records/project-sessions.ts';
import { SessionError } from '../records/session-error.ts';
import { findSession } from '../records/session-find.ts';
import type { SessionSummary } from '../records/session-list.ts';
import { acquireLock, findLockHolder } from '../records/session-lock.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import { systemClock } from '../util/clock.ts';
import { describeUnfinished, isCutOff, recordCutOff, repairCutOff } from './repair-cut-off.ts';
import type { Repaired } from './repair-cut-off.ts';
import { fromStoredChange } from './tree-state.ts';
import type { TreeChange } from './tree-state.ts';
import { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';
import { DEFAULT_BUDGET } from './undo-limits.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

export interface OpenedUndo {
  readonly desk: UndoDesk;
  readonly session: SessionSummary;
  readonly repaired: Repaired;
  /** Appends to the session's file. */
  record(record: object): void;
  /** Leaves a note that the model reads when the session continues. */
  tellModel(sentence: string): void;
  close(): Promise<void>;
}

/** `wanted` as for resuming. Throws SessionError; with `isWriting` also for a session in use. */
export async function openSessionUndo(
  wanted: string,
  project: ProjectSessions,
  { isWriting }: { isWriting: boolean },
): Promise<OpenedUndo> {
  const session = await findSession(wanted, project);
  if (!session) throw new SessionError('not_found', 'No previous sessions found for this project.');
  const { path, id: sessionId } = session;
  const root = realpathSync(project.root);
  const looked = isWriting ? [] : await lookAfter(session, project, root);
  const recorder = isWriting ? takeOver(path, sessionId, root) : undefined;
  try {
    const client = await openStore(project, { root, ...(isWriting && { sessionId }) });
    const record = (each: object) => recorder?.workspace(each);
    const common = { root, path, clock: systemClock, record };
    const repaired = recorder ? await repairCutOff({ ...common, client, sessionId }) : { sentences: looked };
    return {
      session,
      repaired,
      record,
      desk: new UndoDesk({
        ...common,
        client: async () => client,
        look: () => changesSinceLastWalk(client, sessionId),
        otherSessions: () => findSessionFiles(project).filter((each) => each !== path),
      }),
      tellModel: (sentence) =>
        recorder?.added({ role: 'user', parts: [{ text: `<system_note>${sentence}</system_note>` }] }),
      async close() {
        await client.close();
        recorder?.close();
      },
    };
  } catch (error) {
    recorder?.close();
    throw error;
  }
}

/** By any program. The next walk compares with the same state. */
async function changesSinceLastWalk(client: UndoClient, sessionId: string): Promise<TreeChange[]> {
  try {
    const seen = await client.ask({ do: 'walk', since: sessionId, isTrial: true });
    if (!seen.isCompared) return [];
    const all = seen.list === undefined ? seen.changes : (await client.ask({ do: 'list', list: seen.list })).changes;
    return (all ?? []).flatMap((each) => fromStoredChange(each) ?? []);
  } catch {
    // Too large, or the disk is full: a preview shows what is on record.
    return [];
  }
}

/** Before a list or a preview. A session in use, or a disk that cannot be written, is read as it is. Returns sentences. */
async function lookAfter({ path, id }: SessionSummary, project: ProjectSessions, root: string): Promise<string[]> {
  const sentences = describeUnfinished(path);
  if (!isCutOff(path)) return sentences;
  let recorder: SessionRecorder | undefined;
  try {
    recorder = takeOver(path, id, root);
    const client = await openStore(project, { root, sessionId: id });
    const record = (each: object) => recorder?.workspace(each);
    try {
      const recorded = await recordCutOff({ client, clock: systemClock, root, path, sessionId: id, record });
      return [...recorded, ...sentences];
    } finally {
      await client.close();
    }
  } catch (error) {
    const isInUse = error instanceof SessionError && error.reason === 'locked';
    if (isInUse) return sentences;
    return [
      `Castor was stopped during a call; what it changed could not be read: ${getErrorMessage(error)}`,
      ...sentences,
    ];
  } finally {
    recorder?.close();
  }
}

/** Starts the process that knows the store of a project; without a session only to read. */
export async function openStore(
  project: ProjectSessions,
  { root, sessionId = 'reader' }: { root: string; sessionId?: string },
): Promise<UndoClient> {
  const store = join(await resolveProjectDirectory({ ...project, clock: systemClock }), 'undo');
  const { client } = await UndoClient.open({
    ...{ root, store, sessionId, limits: DEFAULT_LIMITS, budget: DEFAULT_BUDGET },
    exclude: [dirname(store)],
  });
  return client;
}

function takeOver(path: string, sessionId: string, root: string): SessionRecorder {
  const lock = acquireLock(path);
  if (!('release' in lock)) {
    const pid = findLockHolder(path)?.pid ?? lock.pid;
    throw new SessionError(
      'locked',
      `Session ${sessionId} is in use by process ${pid}. Use /undo or /branch there, or close it first.`,
      { pid },
    );
  }
  return new SessionRecorder({ directory: dirname(path), sessionId, root, file: { path, lock } });
}
