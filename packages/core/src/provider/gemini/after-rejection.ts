/**
 * What helps after a rejection of the Gemini API: names like that of a missing model, and the request without the
 * declaration or the form of the answer that the service rejects. Loaded by the first such rejection.
 */

import type { ApiError } from '../../protocol/errors.ts';
import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import { similarNames } from '../explain-failure.ts';
import { takesFormBesideTools } from './request-body.ts';
import { withoutRejectedFormats } from '../wire/rejected-formats.ts';
import { type RejectedToolsGenerator, withoutRejectedTools } from '../wire/rejected-tools.ts';
import type { WireGenerator } from '../wire/wire-generator.ts';

/** Adds to the error, whose identity callers rely on. */
export function explainMissing(error: ApiError, model: string): void {
  const names = Object.keys(GEMINI_CATALOGUE.prices);
  if (!names.includes(model)) error.message += ` Known models with a similar name: ${similarNames(model, names)}.`;
}

export function withoutRejected(wire: WireGenerator): RejectedToolsGenerator {
  const formless = withoutRejectedFormats(wire, takesFormBesideTools);
  const generator = withoutRejectedTools(formless);
  return {
    ...generator,
    sendAfter: async (rejection, ...request) =>
      formless.rejects(rejection, request[0])
        ? generator.generateContentStream(...request)
        : generator.sendAfter(rejection, ...request),
  };
}
