/** A failed request in a sentence for users: the service's message, the HTTP status and the number of attempts. Pure. */

import type { StructuredError } from './errors.ts';

export function describeRequestFailure({
  message,
  status,
  attempts = 1,
}: Pick<StructuredError, 'message' | 'status' | 'attempts'>): string {
  // A status that the message already names is not repeated.
  const isNamed = status === undefined || message.includes(String(status));
  const facts = [...(isNamed ? [] : [`HTTP ${status}`]), ...(attempts > 1 ? [`after ${attempts} attempts`] : [])];
  return facts.length === 0 ? message : `${message} (${facts.join(', ')})`;
}
