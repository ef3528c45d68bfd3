/**
 * What other sessions of the project say they changed: an edit names its file exactly, so a change that one of them
 * announced is not undone as the effect of a command that ran here at the same time.
 */

import { statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { readSessionFile } from '../records/read-session-file.ts';
import { fromText } from './byte-path.ts';
import { readUndoRecords } from './read-undo-records.ts';
import { AS_IT_IS, fromStoredChange } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';

export interface Claim {
  readonly path: string;
  readonly after: TreeState;
}

/** Older sessions do not work any more. */
const RECENT_MS = 7 * 24 * 3_600_000;

/** `since`: a session that wrote nothing from then on had ended, and worked on nothing at the same time. Never throws. */
export function findClaims(sessions: readonly string[], root: string, since: number): Claim[] {
  return sessions.flatMap((session) => {
    try {
      if (statSync(session).mtimeMs < Math.max(since, Date.now() - RECENT_MS)) return [];
      return readUndoRecords(readSessionFile(session)).records.flatMap((record): Claim[] => {
        if (record.kind === 'walk' && record.callIds.length > 0)
          return record.changes.flatMap((each) => fromStoredChange(each) ?? []);
        if (record.kind !== 'edit') return [];
        const path = relative(root, record.change.path);
        const { after } = record.change;
        if (path.startsWith('..') || isAbsolute(path)) return [];
        const state = after === null ? null : ({ kind: 'file', mode: AS_IT_IS, content: after, size: 0 } as const);
        return [{ path: fromText(path), after: state }];
      });
    } catch {
      // A session that cannot be read claims nothing.
      return [];
    }
  });
}
