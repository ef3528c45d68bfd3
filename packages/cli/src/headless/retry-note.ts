/** A failed attempt in one sentence for stderr, the same in every output format. Pure. */

import type { RetryValue, StructuredError } from '@castor/core';

/** Undefined where nothing is worth a line: a server that loads a model is announced once. */
export function describeRetry(value: RetryValue | undefined): string | undefined {
  if (!value) return 'the model repeated itself; Castor dropped the repeated text.';
  if (value.isLoading) return value.attempt === 1 ? 'loading the model…' : undefined;
  const { attempt, maxAttempts, delayMs, error } = value;
  const next = describeNext(attempt, maxAttempts, delayMs);
  return `attempt ${attempt} of ${maxAttempts} failed (${describeError(error)}); ${next}.`;
}

/** Servers often say no more than a word: the status is then the only fact. */
function describeError({ message, status }: StructuredError): string {
  return status === undefined || message.includes(String(status)) ? message : `HTTP ${status}: ${message}`;
}

function describeNext(attempt: number, maxAttempts: number, delayMs: number): string {
  // After the last attempt only another model is left.
  if (attempt >= maxAttempts) return 'trying another model';
  return delayMs === 0 ? 'trying again at once' : `trying again in ${(delayMs / 1000).toFixed(1)} s`;
}
