/** Opens the store of a transcript; an error of a listener ends the program. */

import { createTranscriptStore } from '@castor/core';
import type { TranscriptStore } from '@castor/core';

export function openStore(onChange: () => void): TranscriptStore {
  const onListenerError = (error: unknown) =>
    queueMicrotask(() => {
      // A bug of ours that the app cannot recover from: a question might never be asked.
      throw error;
    });
  const store = createTranscriptStore({ onListenerError });
  store.subscribe(onChange);
  return store;
}
