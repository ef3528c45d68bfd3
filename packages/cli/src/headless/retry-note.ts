/** A failed attempt in one sentence for stderr, the same in every output format. Pure. */

import type { RetryValue } from '@castor/core';

export function describeRetry(value: RetryValue | undefined): string {
  if (!value) return 'the model repeated itself; Castor dropped the repeated text.';
  const { attempt, maxAttempts, delayMs, error } = value;
  const next = describeNext(attempt, maxAttempts, delayMs);
  return `attempt ${attempt} of ${maxAttempts} failed (${error.message}); ${next}.`;
}

function describeNext(attempt: number, maxAttempts: number, delayMs: number): string {
  // After the last attempt only another model is left.
  if (attempt >= maxAttempts) return 'trying another model';
  return delayMs === 0 ? 'trying again at once' : `trying again in ${(delayMs / 1000).toFixed(1)} s`;
}
