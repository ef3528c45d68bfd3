/** Limits the requests per host, so that no page can use this program to attack another host. */

import type { Clock } from '../../util/clock.ts';

const LIMIT = 10;
const WINDOW_MS = 60_000;
/** Above this number, idle hosts are forgotten. */
const MAX_HOSTS = 1_000;

export interface RateLimit {
  /** Counts a request; false when the host reached its limit. */
  take(host: string): boolean;
}

export function createRateLimit(clock: Clock): RateLimit {
  const requests = new Map<string, number[]>();
  return {
    take(host) {
      const since = clock.now() - WINDOW_MS;
      const recent = (requests.get(host) ?? []).filter((time) => time > since);
      if (recent.length >= LIMIT) return false;
      recent.push(clock.now());
      requests.set(host, recent);
      if (requests.size > MAX_HOSTS) {
        for (const [each, times] of requests) if ((times.at(-1) ?? 0) <= since) requests.delete(each);
      }
      return true;
    },
  };
}
