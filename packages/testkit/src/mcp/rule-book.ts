/** Chooses the rule that a message, a start or an HTTP request meets; it counts the matches of every rule. */

import type { McpAction, McpRule } from './script.ts';

interface Occasion {
  readonly on: string;
  /** `params.name` or `params.uri` of a message. */
  readonly names?: readonly unknown[];
  /** `*` matches messages only. */
  readonly isMessage?: boolean;
}

export class RuleBook {
  private readonly rules: readonly McpRule[];
  private readonly start: number;
  private readonly counts = new Map<McpRule, number>();

  /** `start` is the number of the process, from 1. */
  constructor(rules: readonly McpRule[], start = 1) {
    this.rules = rules;
    this.start = start;
  }

  /** The actions of the first rule that applies. Every rule that names the occasion counts it. */
  match(occasion: Occasion): readonly McpAction[] | undefined {
    const named = this.rules.filter((rule) => names(rule, occasion));
    for (const rule of named) this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
    return named.find((rule) => isWithin(this.counts.get(rule)!, rule.nth) && isWithin(this.start, rule.start))?.do;
  }
}

function names(rule: McpRule, { on, names: actual = [], isMessage = false }: Occasion): boolean {
  if (rule.on !== on && !(rule.on === '*' && isMessage)) return false;
  return rule.name === undefined || actual.includes(rule.name);
}

function isWithin(count: number, limit: McpRule['nth']): boolean {
  if (limit === undefined) return true;
  if (typeof limit === 'number') return count === limit;
  return count >= limit[0] && count <= (limit[1] ?? Infinity);
}
