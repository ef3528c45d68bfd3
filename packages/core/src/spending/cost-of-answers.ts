/** Computes the cost of answers that a session file has recorded. */

import type { AnswerTokens } from '../protocol/answer-tokens.ts';
import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import { costOf } from './prices.ts';

/** US dollars of recorded answers; undefined when a model has no price. */
export function costOfAnswers(answers: readonly AnswerTokens[], prices: PriceTable): number | undefined {
  let sum = 0;
  for (const { model, input, output, cached, thoughts, tool, total, cacheWrite } of answers) {
    const tokens = { prompt: input, candidates: output, total, cached, thoughts, tool, cacheWrite };
    const usd = costOf(model, { ...tokens, input: Math.max(input - cached, 0) }, prices);
    if (usd === undefined) return undefined;
    sum += usd;
  }
  return sum;
}
