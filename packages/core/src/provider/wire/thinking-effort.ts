/** Translates our thinking settings, a level or a budget, into the levels that other providers name. */

import type { ThinkingConfig } from '../../protocol/content.ts';

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high';

const LEVELS: Readonly<Record<string, Effort>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' };

/** Undefined when nothing was set, or the model is to decide. */
export function effortOf({ thinkingLevel, thinkingBudget }: ThinkingConfig = {}): Effort | undefined {
  if (typeof thinkingLevel === 'string') return LEVELS[thinkingLevel.toUpperCase()];
  if (thinkingBudget === undefined || thinkingBudget < 0) return undefined;
  if (thinkingBudget === 0) return 'none';
  if (thinkingBudget <= 1_024) return 'minimal';
  if (thinkingBudget <= 4_096) return 'low';
  return thinkingBudget <= 12_288 ? 'medium' : 'high';
}
