/**
 * Shares the rows of the window among the parts of the frame, so that together they are never taller: the composer or
 * the question first, then status, queue, plan, calls and the answer. It draws nothing. Pure.
 */

import { callRows } from '../components/call-rows.ts';
import type { FrameData, FrameShares } from '../components/frame-data.ts';
import { planRows } from '../components/plan-rows.ts';
import { queueRows } from '../components/queue-rows.ts';
import { composerHeight } from '../input/composer-view.ts';
import { hasRoomForGap, viewDialog } from './plain-frame.ts';

/**
 * Rows of an answer that may still change; mostly there is one. This also bounds what a resize may leave behind of
 * them.
 */
const MOST_ANSWER_ROWS = 4;
const MOST_PLAN_ROWS = 11;
const MOST_CALLS_BESIDE_QUESTION = 6;

export function shareRows(data: FrameData): FrameShares {
  const { size } = data;
  const hasRoom = hasRoomForGap(size);
  let left = size.rows - 1 - (hasRoom ? 1 : 0);
  const take = (wanted: number) => {
    const rows = Math.max(0, Math.min(wanted, left));
    left -= rows;
    return rows;
  };
  const dialog = viewDialog(data, left);
  take(dialog ? dialog.rows.length : composerHeight(data.composer) + data.composer.emptyRows);
  // While a question is open, it is the status.
  const hasStatus = data.status !== undefined && !dialog && take(1) === 1;
  const hasDrawer = !dialog || data.keepsDrawer;
  const queue = hasDrawer ? take(queueRows(data).length) : 0;
  const most = dialog ? MOST_CALLS_BESIDE_QUESTION : Math.ceil(size.rows / 2);
  const plan = hasDrawer ? take(Math.min(planRows(data).length, MOST_PLAN_ROWS, Math.max(left - 4, 0))) : 0;
  const calls = take(callRows(data, Math.max(0, Math.min(left - 1, most)), dialog !== undefined).length);
  const answerRows = Math.max(0, Math.min(left, MOST_ANSWER_ROWS, Math.ceil(size.rows / 4)));
  const answer = dialog ? [] : data.answer(answerRows);
  const isBare = answer.length === 0 && calls === 0 && plan === 0;
  // One empty row between two blocks, never two.
  return { answer, calls, plan, queue, hasStatus, hasGap: hasRoom && !(isBare && data.isBelowGap), dialog };
}
