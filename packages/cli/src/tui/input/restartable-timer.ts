/** One wait at a time by a clock: starting it anew, or cancelling it, ends the one before. */

import type { Clock } from '@castor/core';

export interface RestartableTimer {
  start(ms: number, run: () => void): void;
  cancel(): void;
}

export function createRestartableTimer(clock: Clock): RestartableTimer {
  let current: AbortController | undefined;
  const cancel = () => {
    current?.abort();
    current = undefined;
  };
  return {
    cancel,
    start(ms, run) {
      cancel();
      const mine = (current = new AbortController());
      void clock.sleep(ms, mine.signal).then(
        () => {
          if (!mine.signal.aborted) run();
        },
        () => undefined, // Cancelled: what it waited for came.
      );
    },
  };
}
