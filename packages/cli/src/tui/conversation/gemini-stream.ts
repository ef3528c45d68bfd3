/** The state of the stream at a moment, for the layout of a frame and for components alike. Pure. */

import { StreamingState, deriveStreamingState, getPendingItems } from '@castor/core';
import type { ThoughtSummary, Transcript, TranscriptItem } from '@castor/core';

export interface GeminiStream {
  readonly streamingState: StreamingState;
  /** The one way to submit a text to the model or to a command; Enter in the composer uses it, too. */
  readonly submitQuery: (query: string) => void;
  /** Why there is no agent, if there is none. */
  readonly initError: string | undefined;
  readonly pendingHistoryItems: readonly TranscriptItem[];
  readonly thought: ThoughtSummary | undefined;
}

export interface GeminiStreamPort {
  readonly transcript: Transcript;
  /** A prompt is running, also before its first event. */
  readonly isResponding: boolean;
  readonly submitQuery: (query: string) => void;
  readonly initError: string | undefined;
}

export function geminiStreamOf({ transcript, isResponding, submitQuery, initError }: GeminiStreamPort): GeminiStream {
  return {
    streamingState: streamingStateOf(transcript, isResponding),
    submitQuery,
    initError,
    pendingHistoryItems: getPendingItems(transcript),
    thought: transcript.thought?.thought,
  };
}

/** Including the time in which a prompt is only being prepared. */
function streamingStateOf(transcript: Transcript, isResponding: boolean): StreamingState {
  const state = deriveStreamingState(transcript);
  return state === StreamingState.Idle && isResponding ? StreamingState.Responding : state;
}
