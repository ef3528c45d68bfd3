/** Whether an undo took back all that was asked for, for its exit code and for scripts; and not doing one that can do nothing. */

import type { UndoDesk, UndoOutcome, UndoPreview } from '@castor/core/program';

export interface JudgedOutcome extends UndoOutcome {
  /** Something was done, and nothing of what was asked for is left. */
  readonly isComplete: boolean;
}

export type JudgedPreview = Pick<UndoPreview, 'kind' | 'leftAlone' | 'notCovered' | 'uncoveredCalls' | 'outside'>;

/** The repositories' own data is left unless it is asked for. */
function hasRest({ leftAlone, notCovered, uncoveredCalls, outside }: JudgedPreview): boolean {
  const own = leftAlone.filter(({ reason }) => reason !== 'git');
  return own.length + notCovered.length + uncoveredCalls.length + outside.length > 0;
}

export function judge(preview: JudgedPreview, outcome: UndoOutcome): JudgedOutcome {
  const isVerified = outcome.isVerified && outcome.done.length > 0;
  return { ...outcome, isVerified, isComplete: isVerified && outcome.skipped.length === 0 && !hasRest(preview) };
}

/** An undo that leaves everything alone is no step of the session: the same request stays possible. */
export async function applyUnlessVain(desk: UndoDesk, preview: UndoPreview): Promise<UndoOutcome> {
  const isVain = preview.changes.length === 0 && (hasRest(preview) || preview.leftAlone.length > 0);
  if (isVain) return { done: [], skipped: [], isVerified: false, isDiskFull: false };
  return desk.apply(preview);
}
