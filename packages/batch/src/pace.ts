/**
 * How many tasks of one provider may run at once, over all workers: halved when the provider is overloaded, raised by one
 * for each round of tasks that went through. Pure.
 */

export interface Pace {
  atOnce: number;
  /** When it was last halved. */
  slowedAt: number;
}

/** No limit until the provider shows one. */
export const START_AT_ONCE = 10_000;
/** The requests that were on their way during an overload belong to it. */
const SAME_OVERLOAD_MS = 5_000;

export function providerOf(model: string | undefined): string {
  return model?.includes('/') ? model.slice(0, model.indexOf('/')) : 'default';
}

export function slowed(pace: Pace, { running, now }: { running: number; now: number }): Pace {
  if (now - pace.slowedAt < SAME_OVERLOAD_MS && now >= pace.slowedAt) return pace;
  return { atOnce: Math.max(1, Math.floor(Math.min(pace.atOnce, running) / 2)), slowedAt: now };
}

/** Additive: as many successes as run at once raise it by one. */
export function quickened(pace: Pace, { running }: { running: number; now: number }): Pace {
  if (pace.atOnce >= START_AT_ONCE) return pace;
  // A pace far above what runs was never tested.
  if (pace.atOnce > 2 * running + 2) return pace;
  return { ...pace, atOnce: pace.atOnce + 1 / Math.max(1, Math.floor(pace.atOnce)) };
}
