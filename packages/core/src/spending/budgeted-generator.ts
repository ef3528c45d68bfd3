/**
 * createBudgetedGenerator: a ContentGenerator that sends nothing once the budget is
 * spent, whoever asks: the conversation, its next attempt, a summary, a tool.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import type { Budget } from './budget.ts';

export function createBudgetedGenerator(inner: ContentGenerator, budget: Budget): ContentGenerator {
  return {
    async generateContent(request, prompt_id, role) {
      budget.assertOpen();
      return inner.generateContent(request, prompt_id, role);
    },

    async generateContentStream(request, prompt_id, role) {
      budget.assertOpen();
      return inner.generateContentStream(request, prompt_id, role);
    },

    countTokens: (request) => inner.countTokens(request),
    embedContent: (request) => inner.embedContent(request),
  };
}
