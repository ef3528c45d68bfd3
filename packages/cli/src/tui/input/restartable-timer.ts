/** One timer at a time: restarting or cancelling it ends the previous one. */

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
        () => undefined, // Cancelled: the awaited event arrived.
      );
    },
  };
}
