/** Records decisions on calls in the audit log, with the mode and the bounds they were made under. Never the arguments. */

import type { Audit } from '../audit/open-audit.ts';
import { stableJson } from '../policy/rule-matching.ts';
import type { DecisionRecorder } from '../scheduler/ports.ts';
import { builtin } from '../util/builtin-modules.ts';

export interface DecisionCircumstances {
  session: string;
  /** The sub-agent that makes the calls. */
  agent?: string | undefined;
  mode(): string | undefined;
  bounds(): CommandBounds | undefined;
}

/** The bounds of commands at a moment; undefined stands for no sandbox. */
export interface CommandBounds {
  profile: string;
  grants: readonly string[];
}

export function createDecisionRecorder(audit: Audit, circumstances: DecisionCircumstances): DecisionRecorder {
  const { session, agent } = circumstances;
  return async ({ call, tool, decision, approver, decidedBy, answer }) => {
    const bounds = circumstances.bounds();
    await audit.recordFirst({
      kind: 'decision',
      session,
      agent,
      call: call.callId,
      tool,
      decision,
      approver,
      answer,
      rule: decidedBy?.rule,
      source: decidedBy?.source,
      mode: circumstances.mode(),
      profile: bounds?.profile,
      grants: bounds?.grants,
      arguments: builtin.crypto.createHash('sha256').update(stableJson(call.args)).digest('hex'),
    });
  };
}
