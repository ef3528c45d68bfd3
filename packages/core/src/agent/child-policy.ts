/**
 * ChildPolicy: decides on the calls of a sub-agent. Each call is judged as the parent's and as the agent's own; the
 * stricter verdict counts, so a child is never allowed more than its parent.
 */

import { STRICTNESS } from '../policy/rule.ts';
import type { PolicyPort, PolicyQuestion, PolicyVerdict, RememberedApproval } from '../scheduler/ports.ts';

/** They hand in a result or read our own pages: no rule is about them. */
const OWN_TOOLS: ReadonlySet<string> = new Set(['complete_task', 'get_internal_docs']);

export interface ChildPolicyOptions {
  /** Decides on the calls of the parent, which may be a child itself. */
  parent: PolicyPort;
  /** The rules of the session. */
  rules: PolicyPort;
  agent: string;
}

export class ChildPolicy implements PolicyPort {
  private readonly options: ChildPolicyOptions;

  constructor(options: ChildPolicyOptions) {
    this.options = options;
  }

  get canAsk(): boolean {
    return this.options.rules.canAsk !== false;
  }

  async check(question: PolicyQuestion): Promise<PolicyVerdict> {
    if (OWN_TOOLS.has(question.toolName)) return { decision: 'allow' };
    const { parent, rules, agent } = this.options;
    const above = await parent.check({ ...question, subagent: undefined });
    const own = await rules.check({ ...question, subagent: agent });
    return STRICTNESS[own.decision] > STRICTNESS[above.decision] ? own : above;
  }

  async describeAlways(question: PolicyQuestion): Promise<string[]> {
    return (await this.options.rules.describeAlways?.(question)) ?? [];
  }

  async remember(approval: RememberedApproval): Promise<void> {
    await this.options.rules.remember(approval);
  }
}
