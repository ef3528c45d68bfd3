/**
 * createBudgetedGenerator: a ContentGenerator that rejects requests once the budget is
 * spent, for every caller: the conversation, a retry, a summary, a tool.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';
import type { Budget } from './budget.ts';

export function createBudgetedGenerator<G extends ContentGenerator>(inner: G, budget: Pick<Budget, 'assertOpen'>): G {
  return wrapGenerator(inner, { before: () => budget.assertOpen() });
}
