/**
 * What helps after a rejection of the Gemini API: names like that of a missing model, and the request without the
 * declaration that the service rejects. Loaded by the first such rejection.
 */

import type { ApiError } from '../../protocol/errors.ts';
import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import { similarNames } from '../explain-failure.ts';

export { withoutRejectedTools } from '../wire/rejected-tools.ts';

/** Adds to the error, whose identity callers rely on. */
export function explainMissing(error: ApiError, model: string): void {
  const names = Object.keys(GEMINI_CATALOGUE.prices);
  if (!names.includes(model)) error.message += ` Known models with a similar name: ${similarNames(model, names)}.`;
}
