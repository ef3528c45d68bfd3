/**
 * Brings the files of a session to the state before one of its calls, from either side: what an undo took back before that
 * call is redone, then the call and all after it are undone. It tells what is not as it was then.
 */

import { countOf } from '../util/short-text.ts';
import type { UndoRecord } from './read-undo-records.ts';
import type { UndoDesk } from './undo-desk.ts';
import type { UndoPreview } from './undo-preview.ts';

/** Sentences about what differs from that state; none when all of it is back. Throws UndoError. */
export async function returnToPoint(desk: UndoDesk, since: string): Promise<string[]> {
  const problems = new Set<string>();
  const carryOut = async (preview: UndoPreview) => {
    for (const problem of problemsOf(preview)) problems.add(problem);
    // An undo of nothing would be what the next redo brings back.
    if (preview.kind === 'undo' && preview.changes.length === 0) return;
    const { skipped, isVerified } = await desk.apply(preview);
    for (const { path, because } of skipped) problems.add(`${path}: ${because}`);
    if (!isVerified && skipped.length === 0) problems.add('Some files differ from what was wanted.');
  };
  const { redos, lost } = await undoneBefore(desk, since);
  for (let left = redos; left > 0; left--) await carryOut(await desk.previewRedo());
  await carryOut(await desk.preview({ since }));
  if (lost > 0)
    problems.add(`${countOf(lost, 'earlier call')} undone before: other changes followed, so no redo is left`);
  return [...problems];
}

/** How many undos must be redone to have the earlier calls back, and how many of those calls no redo brings back. */
async function undoneBefore(desk: UndoDesk, since: string): Promise<{ redos: number; lost: number }> {
  const { prompts, records, chains } = await desk.load();
  const calls = prompts.flatMap((prompt) => prompt.calls);
  const undone = undoneCalls(records);
  const at = calls.findIndex(({ callId }) => callId === since);
  const earlier = calls
    .slice(0, Math.max(at, 0))
    .filter(({ callId, hasEffects }) => hasEffects && undone.has(callId))
    .map(({ callId }) => callId);
  const first = chains.undone.findIndex(({ callIds }) => earlier.some((each) => callIds.includes(each)));
  const redone = first < 0 ? [] : chains.undone.slice(first);
  return {
    redos: redone.length,
    lost: earlier.filter((each) => !redone.some(({ callIds }) => callIds.includes(each))).length,
  };
}

/** The calls whose changes the last undo or redo of them took back; a call may run again after that. */
function undoneCalls(records: readonly UndoRecord[]): Set<string> {
  const undone = new Set<string>();
  for (const record of records) {
    if (record.kind === 'edit') undone.delete(record.change.callId);
    else if (record.kind === 'undo') for (const each of record.callIds) undone.add(each);
    else for (const each of record.callIds) undone.delete(each);
  }
  return undone;
}

function problemsOf({ leftAlone, notCovered, uncoveredCalls, outside }: UndoPreview): string[] {
  return [
    // Git's own files are restored on request only.
    ...leftAlone.filter(({ reason }) => reason !== 'git').map(({ path, because }) => `${path}: ${because}`),
    ...notCovered.map(({ path, because }) => `${path}: ${because}`),
    ...uncoveredCalls.map(({ name, description }) => `${name} ${description}: it ran while undo covered edits only`),
    ...outside.map((path) => `${path}: it is outside the workspace; /rewind reverts edits of it`),
  ];
}
