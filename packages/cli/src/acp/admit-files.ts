/** Asks before a linked file outside the workspace is read; an allowed file may be read for the rest of the session. */

import type { WorkspaceAgent } from '@castor/core';
import { makeVisibleLine } from '../make-visible.ts';
import type { SessionQuestions } from './session-questions.ts';

export async function admitFiles(
  files: readonly string[],
  workspace: WorkspaceAgent['workspace'],
  questions: Pick<SessionQuestions, 'confirm'>,
  signal: AbortSignal,
): Promise<void> {
  for (const path of files) {
    if (await isInside(path, workspace)) continue;
    const title = `Allow access to absolute path: ${makeVisibleLine(path)}`;
    // What is not allowed stays a word of the prompt, and the user is told.
    if (await questions.confirm(title, signal)) workspace.addReadOnlyDirectory(path);
  }
}

async function isInside(path: string, workspace: WorkspaceAgent['workspace']): Promise<boolean> {
  return workspace.checkPath(path).then(
    () => true,
    () => false,
  );
}
