/** What components may know of the stream, from the transcript of the frame. It holds no state and no logic. */

import { useMemo } from 'react';
import { deriveStreamingState, getPendingItems } from '@castor/core';
import type { StreamingState, Transcript, TranscriptItem } from '@castor/core';

export interface GeminiStream {
  readonly streamingState: StreamingState;
  readonly submitQuery: (query: string) => void;
  /** Why there is no agent, if there is none. */
  readonly initError: string | undefined;
  readonly pendingHistoryItems: readonly TranscriptItem[];
  readonly thought: string | undefined;
}

export interface GeminiStreamPort {
  readonly transcript: Transcript;
  readonly submitQuery: (query: string) => void;
  readonly initError: string | undefined;
}

export function useGeminiStream({ transcript, submitQuery, initError }: GeminiStreamPort): GeminiStream {
  return useMemo(
    () => ({
      streamingState: deriveStreamingState(transcript),
      submitQuery,
      initError,
      pendingHistoryItems: getPendingItems(transcript),
      thought: transcript.thought?.thought.subject,
    }),
    [transcript, submitQuery, initError],
  );
}
