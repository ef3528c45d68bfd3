/** What the session is doing, the moments included in which a prompt is only being prepared. Pure. */

import { StreamingState, deriveStreamingState } from '@castor/core';
import type { Transcript } from '@castor/core';

export function streamingStateOf(transcript: Transcript, isResponding: boolean): StreamingState {
  const state = deriveStreamingState(transcript);
  return state === StreamingState.Idle && isResponding ? StreamingState.Responding : state;
}
