/**
 * Restores a restore point: its files by undo, in the session that made the point, or from the snapshot for one of Gemini
 * CLI; its conversation, and the call that it was made before, for the user to be asked about again.
 */

import type { Content } from '../protocol/content.ts';
import type { ProposedCall } from '../protocol/tool-calls.ts';
import { applyAsCall } from './apply-as-call.ts';
import { fromStoredPath, toText } from './byte-path.ts';
import { planSnapshot } from './gemini-snapshot.ts';
import type { OpenedUndo } from './open-session-undo.ts';
import { proposeAgain } from './propose-again.ts';
import { readRestorePoint } from './restore-points.ts';
import { returnToPoint } from './return-to-point.ts';
import type { UndoClient } from './undo-client.ts';
import type { UndoDesk } from './undo-desk.ts';
import { SKIPPED, UndoError } from './undo-preview.ts';

export interface RestoreOptions {
  readonly home: string;
  /** The project's own folder. */
  readonly directory: string;
  readonly sessionId: string;
  readonly desk: UndoDesk;
  readonly client: UndoClient | undefined;
  readonly record: (record: object) => void;
  /** PATH. */
  readonly path: string;
  /** The present conversation, for a point without one. */
  readonly history: readonly Content[];
  /** Opens another session of the project for an undo in it. */
  readonly openOther: (sessionId: string) => Promise<OpenedUndo>;
}

export interface RestoredPoint {
  /** It ends with the call. */
  readonly history: readonly Content[];
  readonly call: ProposedCall;
  /** Sentences about files that are not as they were; none when all of them are. */
  readonly problems: readonly string[];
}

/** Throws UndoError, and SessionError for a point of a session that is gone or in use. */
export async function restorePoint(name: string, options: RestoreOptions): Promise<RestoredPoint> {
  const { directory, client, record } = options;
  const point = readRestorePoint(directory, name);
  if (typeof point === 'string') throw new UndoError(point);
  const { callId, commitHash } = point;
  // What follows is a step of the user's own, beside the prompts.
  record({ $restored: { name: point.name, time: new Date().toISOString() } });
  const problems: string[] = [];
  if (callId !== undefined) {
    problems.push(...(await returnTo(callId, point.sessionId, options)));
  } else if (commitHash !== undefined && client) {
    const changes = await planSnapshot({ ...options, client, commit: commitHash });
    const own = `restore-${Date.now().toString(36)}`;
    const { skipped } = await applyAsCall(
      client,
      record,
      { callId: own, name: 'restore', description: point.name },
      changes,
    );
    for (const { path, reason, message } of skipped)
      problems.push(`${toText(fromStoredPath(path))}: ${message ?? SKIPPED[reason]}`);
  }
  const call = { ...point.toolCall, callId: `${point.toolCall.name}-${Date.now()}-again` };
  const history = point.clientHistory.length > 0 ? point.clientHistory : options.history;
  return { call, history: proposeAgain(history, call, callId), problems };
}

async function returnTo(
  callId: string,
  owner: string | undefined,
  { sessionId, desk, openOther }: RestoreOptions,
): Promise<string[]> {
  if (owner === undefined || owner === sessionId) return returnToPoint(desk, callId);
  const other = await openOther(owner);
  try {
    return await returnToPoint(other.desk, callId);
  } finally {
    await other.close();
  }
}
