/** The error for an answer that a provider withheld: it is not retried, and the turn leaves the history. */

import { InvalidStreamError } from '../../protocol/errors.ts';

/** `category` and `explanation` are the provider's own words. */
export function refusedAnswer(category: string, explanation?: string): InvalidStreamError {
  const words = explanation ? `${category}: ${explanation}` : category;
  return new InvalidStreamError(`The model's response is invalid: the answer was blocked: ${words}.`, 'SAFETY_BLOCKED');
}
