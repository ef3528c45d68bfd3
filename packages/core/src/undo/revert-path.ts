/** Takes back what a session did to one path, by the rule of undo, as a call of its own: undo can take it back too. */

import { applyAsCall } from './apply-as-call.ts';
import { fromStoredPath, toText } from './byte-path.ts';
import type { UndoClient } from './undo-client.ts';
import type { UndoDesk } from './undo-desk.ts';
import { SKIPPED } from './undo-preview.ts';
import { LEFT_ALONE, NOT_COVERED } from './undo-sentences.ts';

/** Sentences about what was left alone; none when all of it was taken back. */
export async function revertPath(
  path: string,
  desk: UndoDesk,
  client: UndoClient,
  record: (record: object) => void,
): Promise<string[]> {
  const { changes, leftAlone, notCovered } = await desk.planPath(path);
  const problems = [
    ...leftAlone.map((each) => `${toText(each.path)} was not reverted: ${LEFT_ALONE[each.reason]}.`),
    ...notCovered.map((each) => `${toText(each.path)} was not reverted: ${NOT_COVERED[each.reason]}.`),
  ];
  if (changes.length === 0) return problems;
  const callId = `revert-${Date.now().toString(36)}`;
  const call = { callId, name: 'revert', description: path, step: `/diff, ${path} reverted` };
  const { skipped } = await applyAsCall(client, record, call, changes);
  return [
    ...problems,
    ...skipped.map(
      (each) => `${toText(fromStoredPath(each.path))} was not reverted: ${each.message ?? SKIPPED[each.reason]}.`,
    ),
  ];
}
