/**
 * Runs the examples next to rules: each asks the engine for one decision, which must match
 * the expected one; otherwise it becomes a failure with the reason.
 */

import type { PolicyEngine, PolicyVerdict } from './policy-engine.ts';
import type { PolicyDecision } from './rule.ts';
import type { RuleTest } from './rules-file.ts';

export interface RuleTestResult {
  test: RuleTest;
  passed: boolean;
  /** As the example states it: without a user, a question appears as the denial it becomes. */
  decision: PolicyDecision;
  verdict: PolicyVerdict;
}

export async function runRuleTests(engine: PolicyEngine, tests: readonly RuleTest[]): Promise<RuleTestResult[]> {
  const results: RuleTestResult[] = [];
  for (const test of tests) {
    const { toolName, args, mode, interactive } = test;
    const verdict = await engine.check({ toolName, args }, { mode, interactive });
    results.push({ test, verdict, decision: verdict.decision, passed: verdict.decision === test.expect });
  }
  return results;
}
