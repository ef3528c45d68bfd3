/**
 * Stores the state of the composer and notifies listeners of changes, once per piece of bytes. It knows neither keys
 * nor the picture.
 */

import type { ComposerState } from './composer-state.ts';

export interface ComposerStore {
  get(): ComposerState;
  set(next: ComposerState): void;
  /** Something shown beside the state has changed. */
  touch(): void;
  /** Grows with every change, also before listeners are notified. */
  version(): number;
  /** Notifies listeners of the changes of `run` when it is over. */
  batch(run: () => void): void;
  subscribe(listener: () => void): () => void;
  /** Removes the listener. */
  dispose(): void;
}

export function createComposerStore(initial: ComposerState): ComposerStore {
  const listeners = new Set<() => void>();
  let current = initial;
  let version = 0;
  let told = 0;
  let batches = 0;

  const tell = () => {
    if (batches > 0 || told === version) return;
    told = version;
    for (const listener of listeners) listener();
  };

  const touch = () => {
    version++;
    tell();
  };

  return {
    get: () => current,
    set(next) {
      if (next === current) return;
      current = next;
      touch();
    },
    touch,
    version: () => version,
    batch(run) {
      batches++;
      try {
        run();
      } finally {
        batches--;
        tell();
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    dispose: () => listeners.clear(),
  };
}
