/** The legal transitions between the states of a call. Pure; an illegal transition is a bug and throws. */

import type { ToolCall, ToolCallStatus } from '../protocol/tool-calls.ts';

const NEXT: Readonly<Record<ToolCallStatus, readonly ToolCallStatus[]>> = {
  validating: ['awaiting_approval', 'scheduled', 'error', 'cancelled'],
  // Again when the proposal was edited: the change is shown once more. Straight to executing when the call had
  // started and another tool replaces it.
  awaiting_approval: ['awaiting_approval', 'scheduled', 'executing', 'error', 'cancelled'],
  scheduled: ['executing', 'error', 'cancelled'],
  // Back to the user only for a tool that replaces the call.
  executing: ['executing', 'awaiting_approval', 'success', 'error', 'cancelled'],
  success: [],
  error: [],
  cancelled: [],
};

export function transition(call: ToolCall, next: ToolCall): ToolCall {
  if (next.request.callId !== call.request.callId || !NEXT[call.status].includes(next.status)) {
    throw new Error(`Call ${call.request.callId} cannot go from ${call.status} to ${next.status}.`);
  }
  return next;
}

export function isTerminal(status: ToolCallStatus): boolean {
  return NEXT[status].length === 0;
}
