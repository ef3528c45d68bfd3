/**
 * The store: one transcript, who is told when it changes, and the only way to
 * change it. It holds no logic and does not coalesce; a surface that draws less
 * often than events arrive does that itself.
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
  /** Folds all events, then tells listeners once. */
  dispatchAll(events: Iterable<AgentEvent>): void;
}

export interface TranscriptStoreOptions {
  initial?: Transcript;
  /** Told what a listener threw. A listener that throws disturbs neither the fold nor its neighbours. */
  onListenerError?: (error: unknown) => void;
}

export function createTranscriptStore(options: TranscriptStoreOptions = {}): TranscriptStore {
  let transcript = options.initial ?? createTranscript();
  const listeners = new Set<() => void>();

  const notify = () => {
    // Who subscribes while being told is told next time.
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
      // A wrapper of its own, so that the same function subscribed twice is told twice and ends separately.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    dispatch: (event) => dispatchAll([event]),
    dispatchAll,
  };
}
