/** Waits with an abort signal, even for work that ignores the signal. */

import { createAbortError, throwIfAborted } from './clock.ts';

/**
 * Settles as `work` does; rejects with an AbortError as soon as the signal is aborted.
 * The result of `work` is dropped from then on.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(createAbortError(signal));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Aborts the controller with any of the signals until the returned function is called. For short work under signals
 * that live long: `AbortSignal.any` leaves a reference in each of them until a garbage collection.
 */
export function abortWith(controller: AbortController, signals: readonly AbortSignal[]): () => void {
  const onAbort = ({ target }: Event) => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', onAbort, { once: true });
  }
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
}

/** Undefined when the work fails; only an abort rejects. For work that must not fail the caller, such as hooks. */
export async function tryUntilAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await untilAborted(work(), signal);
  } catch {
    throwIfAborted(signal);
    // The contract ignores failures.
    return undefined;
  }
}
