/** Translates our thinking settings, a level or a budget, into the levels that other providers name. */

import type { ThinkingConfig } from '../../protocol/content.ts';
import type { EffortLevel } from '../catalogue/model-catalogue.ts';

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high';

const ORDER: readonly EffortLevel[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

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

/** The level nearest to the wished one that the model takes; of two as near, the cheaper. A wrong level is a rejection. */
export function effortFor({ efforts = [] }: { efforts?: readonly EffortLevel[] }, wished: Effort): EffortLevel {
  const distance = (level: EffortLevel) => Math.abs(ORDER.indexOf(level) - ORDER.indexOf(wished));
  // Little thinking is not none.
  const fitting = efforts.filter((level) => level !== 'none' || wished === 'none');
  return fitting.toSorted((one, other) => distance(one) - distance(other)).at(0) ?? wished;
}
