/**
 * Runs the examples that stand beside rules: each is one question to the engine, and
 * the answer either is what the example expects or it is a failure with its reason.
 */

import type { PolicyEngine, PolicyVerdict } from './policy-engine.ts';
import type { PolicyDecision } from './rule.ts';
import type { RuleTest } from './rules-file.ts';

export interface RuleTestResult {
  test: RuleTest;
  passed: boolean;
  /** As the example counts it: without a user, a question shows as the denial it becomes. */
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
