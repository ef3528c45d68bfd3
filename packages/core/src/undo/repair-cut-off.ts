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
import type { AppliedRecord, UndoRecords } from './read-undo-records.ts';
import { toRecords } from './walk-records.ts';
import type { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';
import type { FinishedUndo } from './undo-desk.ts';

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

export interface Repaired {
  /** What was repaired, or waits for it. */
  readonly sentences: readonly string[];
  /** An undo or redo that was cut off, and is complete now. */
  readonly finished?: FinishedUndo | undefined;
}

/** Sentences about what was repaired. */
export async function repairCutOff(options: RepairOptions): Promise<Repaired> {
  const { client, clock, path, root, record } = options;
  const sentences = await recordCutOff(options);
  const finished = await new UndoDesk({ root, path, clock, record, client: async () => client }).finishCutOff();
  if (!finished) return { sentences };
  const { kind, outcome } = finished;
  const done = `Castor was stopped during the ${kind} of ${describeCalls(readRecords(path), finished.callIds)}`;
  const { skipped } = outcome;
  if (skipped.length === 0 && outcome.isVerified)
    return { sentences: [...sentences, `${done}; it is complete now.`], finished };
  const names = skipped.slice(0, NAMED_PATHS).map(({ path: each, because }) => `${each} (${because})`);
  const more = skipped.length > NAMED_PATHS ? ` and ${skipped.length - NAMED_PATHS} more` : '';
  const left =
    skipped.length > 0 ? `; left alone: ${names.join(', ')}${more}` : ', but some files differ from what was wanted';
  return { sentences: [...sentences, `${done}; the rest of it is done now${left}.`], finished };
}

/** The same without touching a file of the workspace, for a list or a preview. */
export async function recordCutOff({ client, clock, path, sessionId, record }: RepairOptions): Promise<string[]> {
  const read = readRecords(path);
  if (read.cutOff.length === 0) return [];
  const { cutOffSince: from } = read;
  const seen = await client.ask({
    ...{ do: 'walk', since: sessionId, isCutOff: true },
    ...(from !== undefined && { calls: { from } }),
  });
  for (const each of toRecords(seen, read.cutOff, clock, { isNeeded: true, isLate: true })) record(each);
  await client.ask({ do: 'noted' });
  const names = describeCalls(read, read.cutOff);
  const count = countOf(seen.count, 'path');
  return [`Castor was stopped during ${names}. What it changed (${count}) can be undone with it.`];
}

/** A sentence about an undo that was cut off and waits for its completion, which touches files. */
export function describeUnfinished(path: string): string[] {
  const read = readRecords(path);
  const applied = read.records.filter((record): record is AppliedRecord => 'isFinished' in record);
  const unfinished = applied.findLast(({ isFinished }) => !isFinished);
  if (!unfinished) return [];
  const { kind, callIds } = unfinished;
  const names = describeCalls(read, callIds);
  return [`Castor was stopped during the ${kind} of ${names}; the next undo or redo of this session completes it.`];
}

/** Whether a kill left something that is not on record yet. */
export function isCutOff(path: string): boolean {
  return readRecords(path).cutOff.length > 0;
}

function readRecords(path: string): UndoRecords {
  return readUndoRecords(readSessionFile(path));
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
      const repaired = await repairCutOff({ client, clock, root: project.root, path, sessionId, record });
      sentences.push(...repaired.sentences);
    } finally {
      recorder.close();
    }
  }
  return sentences;
}

const NAMED_CALLS = 3;
const NAMED_PATHS = 5;
const NAME_LENGTH = 80;

function describeCalls({ prompts }: UndoRecords, callIds: readonly string[]): string {
  const calls = prompts.flatMap((prompt) => prompt.calls).filter(({ callId }) => callIds.includes(callId));
  const names = calls
    .slice(0, NAMED_CALLS)
    .map(({ name, description }) => (description === '' ? name : `${name} ${description}`).slice(0, NAME_LENGTH));
  return names.length === 0 ? 'a call' : names.join(', ');
}
