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
