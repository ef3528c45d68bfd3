/**
 * StreamingState: the activity of the session, in one word. Always derived from the transcript and never set, so it
 * cannot contradict the screen.
 */

import { allCalls } from './tool-group.ts';
import type { Transcript } from './transcript.ts';

export enum StreamingState {
  Idle = 'idle',
  Responding = 'responding',
  /** The prompt continues only once the user has answered. */
  WaitingForConfirmation = 'waiting_for_confirmation',
}

export function deriveStreamingState({ pendingGroup, prompt, question }: Transcript): StreamingState {
  const calls = pendingGroup ? [...allCalls(pendingGroup.calls)] : [];
  if (question || calls.some(({ status }) => status === 'awaiting_approval'))
    return StreamingState.WaitingForConfirmation;
  return prompt || pendingGroup ? StreamingState.Responding : StreamingState.Idle;
}
