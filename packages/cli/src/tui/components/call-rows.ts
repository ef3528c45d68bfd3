/** The rows of running calls: each its head while there is room; the remaining rows go to calls with output. Pure. */

import type { PendingCall } from '@castor/core';
import type { ScreenPicture } from '../command-screen/screen-rows.ts';
import { isRunningAgent, renderAgent } from '../conversation/agent-row.ts';
import { renderHead, renderToolCall } from '../conversation/tool-call.ts';
import type { FrameData } from './frame-data.ts';

const MOST_OUTPUT_ROWS = 10;

/** At most as many rows, with an empty one before them. Beside a question only calls that run are shown. */
export function callRows(data: FrameData, most: number, isBesideQuestion: boolean): string[] {
  const { styles, size, focusedCallId, screenOf, held } = data;
  const calls = isBesideQuestion ? data.calls.filter(({ status }) => status === 'executing') : data.calls;
  if (calls.length === 0) return held.length > 0 && most > held.length ? ['', ...held] : [];
  if (most < 2) return [];
  const heads = Math.min(calls.length, most - 1);
  const prints = (call: PendingCall) =>
    call.status === 'executing' && call.callId !== focusedCallId && !isRunningAgent(call);
  const running = calls.filter((call) => prints(call) && (call.output !== '' || hasRows(screenOf?.(call)))).length;
  const room = running === 0 ? 0 : Math.floor((most - 1 - heads - held.length) / running);
  const maxRows = Math.max(0, Math.min(MOST_OUTPUT_ROWS, room));
  const rows = calls.slice(0, heads).flatMap((call) => {
    const options = { styles, width: size.columns - 1, maxRows };
    if (isRunningAgent(call)) return [renderAgent(call, { ...options, age: data.ageOf?.(call.callId) })];
    if (maxRows === 0 || !prints(call)) return [renderHead(call, options)];
    return renderToolCall(call, { ...options, screen: screenOf?.(call) });
  });
  return ['', ...held, ...rows].slice(0, most);
}

function hasRows(screen: ScreenPicture | undefined): boolean {
  return screen !== undefined && screen.rows.length > 0;
}
