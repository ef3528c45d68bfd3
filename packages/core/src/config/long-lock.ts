/** A folder lock that may be held for seconds: its holder refreshes it, so that others do not take it over. */

import { utimesSync } from 'node:fs';
import type { Clock } from '../util/clock.ts';
import { identify, lockFolder, remove } from './folder-lock.ts';

const REFRESH_MS = 1_000;
const UNREFRESHED_MS = 5_000;
const PATIENCE_MS = 45_000;

/** Resolves with the release function. Rejects like `lockFolder`. */
export function lockForLong(path: string, clock: Clock): Promise<() => void> {
  return lockFolder(path, clock, {
    unchangedMs: UNREFRESHED_MS,
    patienceMs: PATIENCE_MS,
    hold: () => holdRefreshed(path, clock),
  });
}

/** The release function keeps a lock that another process has taken over in the meantime. */
function holdRefreshed(path: string, clock: Clock): () => void {
  let own = identify(path);
  const end = new AbortController();
  const refresh = async () => {
    for (;;) {
      await clock.sleep(REFRESH_MS, end.signal);
      if (identify(path) !== own) return;
      utimesSync(path, new Date(), new Date());
      own = identify(path);
    }
  };
  // Ends with the release; a lock that cannot be refreshed is taken over.
  refresh().catch(() => undefined);
  return () => {
    end.abort();
    if (identify(path) === own) remove(path);
  };
}
