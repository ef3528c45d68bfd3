/** Waiting that ends with the signal, whatever is waited for: a hook or a service may hear no abort. */

import { createAbortError, throwIfAborted } from './clock.ts';

/**
 * Settles as `work` does; rejects with an AbortError as soon as the signal is aborted.
 * What `work` comes to after that is nobody's business any more.
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

/** What a hook says. One that throws has nothing to say; only the user's cancel rejects. */
export async function askHook<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await untilAborted(ask(), signal);
  } catch {
    throwIfAborted(signal);
    // A hook cannot fail what it looks at.
    return undefined;
  }
}
