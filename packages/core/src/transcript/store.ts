/**
 * The store: holds one transcript and its listeners, and is the only way to change it. It contains no logic and does
 * not coalesce; a surface that draws less often than events arrive does that itself.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { reduce } from './reduce.ts';
import { createTranscript } from './transcript.ts';
import type { Transcript } from './transcript.ts';

export interface TranscriptStore {
  /** The same object until an event changes something. */
  getSnapshot(): Transcript;
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  dispatch(event: AgentEvent): void;
  /** Folds all events, then notifies listeners once. */
  dispatchAll(events: Iterable<AgentEvent>): void;
}

export interface TranscriptStoreOptions {
  initial?: Transcript;
  /** Called with the error of a listener. A throwing listener affects neither the fold nor other listeners. */
  onListenerError?: (error: unknown) => void;
}

export function createTranscriptStore(options: TranscriptStoreOptions = {}): TranscriptStore {
  let transcript = options.initial ?? createTranscript();
  const listeners = new Set<() => void>();

  const notify = () => {
    // A listener added during a notification is first called at the next one.
    const current = [...listeners];
    for (const listener of current) {
      try {
        listener();
      } catch (error) {
        options.onListenerError?.(error);
      }
    }
  };

  const dispatchAll = (events: Iterable<AgentEvent>) => {
    const before = transcript;
    try {
      for (const event of events) transcript = reduce(transcript, event);
    } finally {
      if (transcript !== before) notify();
    }
  };

  return {
    getSnapshot: () => transcript,
    subscribe(listener) {
      // A separate wrapper, so that a function subscribed twice is called twice and unsubscribed separately.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    dispatch: (event) => dispatchAll([event]),
    dispatchAll,
  };
}
