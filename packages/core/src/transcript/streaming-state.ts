/**
 * StreamingState: what the session is doing, in one word. Always derived from the
 * transcript and never set, so it cannot disagree with what is on the screen.
 */

import type { Transcript } from './transcript.ts';

export enum StreamingState {
  Idle = 'idle',
  Responding = 'responding',
  /** The prompt goes on only when a person has answered. */
  WaitingForConfirmation = 'waiting_for_confirmation',
}

export function deriveStreamingState({ pendingGroup, prompt, question }: Transcript): StreamingState {
  const isAsking = pendingGroup?.calls.some(({ status }) => status === 'awaiting_approval') ?? false;
  if (isAsking || question) return StreamingState.WaitingForConfirmation;
  return prompt || pendingGroup ? StreamingState.Responding : StreamingState.Idle;
}
