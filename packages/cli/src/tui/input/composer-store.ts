/**
 * The state of the composer, and who is told when it is another one. What one piece of
 * bytes changed is told once. It knows neither keys nor the picture.
 */

import type { ComposerState } from './composer-state.ts';

export interface ComposerStore {
  get(): ComposerState;
  set(next: ComposerState): void;
  /** Something that is shown beside the state is another one. */
  touch(): void;
  /** Grows with every change, also with those that are not told yet. */
  version(): number;
  /** Tells what `run` changed when it is over. */
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
