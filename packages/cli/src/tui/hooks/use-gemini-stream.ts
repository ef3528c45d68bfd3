/** What components may know of the stream, from the transcript of the frame. It holds no state and no logic. */

import { useMemo } from 'react';
import { getPendingItems } from '@castor/core';
import type { StreamingState, ThoughtSummary, Transcript, TranscriptItem } from '@castor/core';
import { streamingStateOf } from '../streaming-state-of.ts';

export interface GeminiStream {
  readonly streamingState: StreamingState;
  readonly submitQuery: (query: string) => void;
  /** Why there is no agent, if there is none. */
  readonly initError: string | undefined;
  readonly pendingHistoryItems: readonly TranscriptItem[];
  readonly thought: ThoughtSummary | undefined;
}

export interface GeminiStreamPort {
  readonly transcript: Transcript;
  /** A prompt is under way, also before the first event of it. */
  readonly isResponding: boolean;
  readonly submitQuery: (query: string) => void;
  readonly initError: string | undefined;
}

export function useGeminiStream({ transcript, isResponding, submitQuery, initError }: GeminiStreamPort): GeminiStream {
  return useMemo(
    () => ({
      streamingState: streamingStateOf(transcript, isResponding),
      submitQuery,
      initError,
      pendingHistoryItems: getPendingItems(transcript),
      thought: transcript.thought?.thought,
    }),
    [transcript, isResponding, submitQuery, initError],
  );
}
