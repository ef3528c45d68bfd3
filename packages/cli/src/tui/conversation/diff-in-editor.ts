/** An edit shown in the terminal and in the editor at once: the first answer decides, with the text left there. */

import type { ToolCallConfirmationDetails } from '@castor/core';
import type { DiffAnswer } from '../../ide/companion.ts';
import type { ApprovalAnswer } from '../dialogs/approval.ts';

/** The part of a companion that shows diffs. */
export interface EditorDiffs {
  openDiff(filePath: string, newContent: string, signal: AbortSignal): Promise<DiffAnswer | undefined>;
  closeDiff(filePath: string): Promise<string | undefined>;
}

type Edit = Extract<ToolCallConfirmationDetails, { type: 'edit' }>;

/** Undefined when the question was withdrawn. `ask` asks in the terminal. */
export async function askInBoth(
  { filePath, newContent }: Edit,
  editor: EditorDiffs,
  ask: (signal: AbortSignal) => Promise<ApprovalAnswer | undefined>,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const decided = new AbortController();
  const either = AbortSignal.any([signal, decided.signal]);
  const inEditor = editor.openDiff(filePath, newContent, either);
  const inTerminal = ask(either);
  const said = await Promise.race([inTerminal.then(() => undefined), inEditor]);
  if (said) {
    decided.abort();
    return fromEditor(said, newContent);
  }
  // An editor that cannot be asked leaves the question to the terminal.
  const answer = await inTerminal;
  decided.abort();
  const closed = editor.closeDiff(filePath);
  if (answer === undefined || !isYes(answer)) return answer;
  const left = await closed;
  const isEdited = left !== undefined && !isSameText(left, newContent);
  return isEdited ? { ...answer, payload: { ...answer.payload, newContent: left } } : answer;
}

function fromEditor(said: DiffAnswer, proposed: string): ApprovalAnswer {
  if (!said.isAccepted) return { outcome: 'cancel' };
  return {
    outcome: 'proceed_once',
    ...(!isSameText(said.content, proposed) && { payload: { newContent: said.content } }),
  };
}

/** An editor may show the text with other line ends; the file keeps its own. */
function isSameText(left: string, proposed: string): boolean {
  return left.replaceAll('\r\n', '\n') === proposed.replaceAll('\r\n', '\n');
}

function isYes({ outcome }: ApprovalAnswer): boolean {
  return outcome.startsWith('proceed');
}
