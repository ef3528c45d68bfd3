/** A failed attempt in one sentence for stderr, the same in every output format. Pure. */

import type { RetryValue } from '@castor/core';

export function describeRetry(value: RetryValue | undefined): string {
  if (!value) return 'the model repeated itself; Castor dropped the repeated text.';
  const { attempt, maxAttempts, delayMs, error } = value;
  const wait = `trying again in ${(delayMs / 1000).toFixed(1)} s`;
  return `attempt ${attempt} of ${maxAttempts} failed (${error.message}); ${wait}.`;
}
