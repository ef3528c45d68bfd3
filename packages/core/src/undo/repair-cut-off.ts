/**
 * Repairs what a killed program left: puts on record what its last call changed, and completes an undo it was in the
 * middle of. It works in the file of the session that was killed, unless a live process holds it.
 */

import { dirname } from 'node:path';
import { findSessionFiles } from '../records/project-sessions.ts';
import type { ProjectSessions } from '../records/project-sessions.ts';
import { readSessionFile } from '../records/read-session-file.ts';
import { acquireLock } from '../records/session-lock.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import type { Clock } from '../util/clock.ts';
import { countOf } from '../util/short-text.ts';
import { readUndoRecords } from './read-undo-records.ts';
import type { UndoRecords } from './read-undo-records.ts';
import { toRecords } from './walk-records.ts';
import type { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';

export interface RepairOptions {
  readonly client: UndoClient;
  readonly clock: Clock;
  readonly root: string;
  /** The session's file. */
  readonly path: string;
  readonly sessionId: string;
  /** Appends to it. */
  readonly record: (record: object) => void;
}

/** Sentences about what was repaired. */
export async function repairCutOff(options: RepairOptions): Promise<string[]> {
  const { client, clock, path, root, sessionId, record } = options;
  const read = readUndoRecords(readSessionFile(path));
  const sentences: string[] = [];
  if (read.cutOff.length > 0) {
    const { cutOffSince: from } = read;
    const seen = await client.ask({
      ...{ do: 'walk', since: sessionId, isCutOff: true },
      ...(from !== undefined && { calls: { from } }),
    });
    for (const each of toRecords(seen, read.cutOff, clock, { isNeeded: true, isLate: true })) record(each);
    await client.ask({ do: 'noted' });
    const names = describeCalls(read, read.cutOff);
    sentences.push(
      `Castor was stopped during ${names}. What it changed (${countOf(seen.count, 'path')}) can be undone with it.`,
    );
  }
  const desk = new UndoDesk({ root, path, clock, record, client: async () => client });
  const finished = await desk.finishCutOff();
  if (finished)
    sentences.push(
      `Castor was stopped during the ${finished.kind} of ${describeCalls(read, finished.callIds)}; it is complete now.`,
    );
  return sentences;
}

/** The same for another session of the project, whose manifest is the newest. */
export async function repairOther(
  project: ProjectSessions,
  sessionId: string,
  { client, clock }: Pick<RepairOptions, 'client' | 'clock'>,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const path of findSessionFiles(project, sessionId)) {
    if (readUndoRecords(readSessionFile(path)).sessionId !== sessionId) continue;
    const lock = acquireLock(path);
    if (!('release' in lock)) continue;
    const recorder = new SessionRecorder({
      directory: dirname(path),
      sessionId,
      root: project.root,
      file: { path, lock },
    });
    try {
      const record = (each: object) => recorder.workspace(each);
      sentences.push(...(await repairCutOff({ client, clock, root: project.root, path, sessionId, record })));
    } finally {
      recorder.close();
    }
  }
  return sentences;
}

const NAMED_CALLS = 3;
const NAME_LENGTH = 80;

function describeCalls({ prompts }: UndoRecords, callIds: readonly string[]): string {
  const calls = prompts.flatMap((prompt) => prompt.calls).filter(({ callId }) => callIds.includes(callId));
  const names = calls
    .slice(0, NAMED_CALLS)
    .map(({ name, description }) => (description === '' ? name : `${name} ${description}`).slice(0, NAME_LENGTH));
  return names.length === 0 ? 'a call' : names.join(', ');
}
