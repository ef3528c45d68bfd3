/** Gives components the state of the stream, from the transcript of the frame. It holds no state and no logic. */

import { useMemo } from 'react';
import { geminiStreamOf } from '../conversation/gemini-stream.ts';
import type { GeminiStream, GeminiStreamPort } from '../conversation/gemini-stream.ts';

export function useGeminiStream({ transcript, isResponding, submitQuery, initError }: GeminiStreamPort): GeminiStream {
  return useMemo(
    () => geminiStreamOf({ transcript, isResponding, submitQuery, initError }),
    [transcript, isResponding, submitQuery, initError],
  );
}
