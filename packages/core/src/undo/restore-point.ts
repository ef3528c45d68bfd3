/** Restores the files of a restore point: by undo for a point of this session, from the snapshot for one of Gemini CLI. */

import type { Content } from '../protocol/content.ts';
import { applyAsCall } from './apply-as-call.ts';
import { planSnapshot } from './gemini-snapshot.ts';
import { readRestorePoint } from './restore-points.ts';
import type { UndoClient } from './undo-client.ts';
import type { UndoDesk } from './undo-desk.ts';
import { UndoError } from './undo-preview.ts';

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
}

/** Returns the conversation of the point. Throws UndoError. */
export async function restorePoint(name: string, options: RestoreOptions): Promise<readonly Content[]> {
  const { directory, sessionId, desk, client, record } = options;
  const point = readRestorePoint(directory, name);
  if (typeof point === 'string') throw new UndoError(point);
  const { callId, commitHash } = point;
  if (callId !== undefined) {
    if (point.sessionId !== sessionId)
      throw new UndoError(
        `This point belongs to the session ${point.sessionId}: resume that one, and restore it there.`,
      );
    await desk.apply(await desk.preview({ since: callId }));
  } else if (commitHash !== undefined && client) {
    const changes = await planSnapshot({ ...options, client, commit: commitHash });
    const own = `restore-${Date.now().toString(36)}`;
    await applyAsCall(client, record, { callId: own, name: 'restore', description: point.name }, changes);
  }
  return point.clientHistory;
}
