/**
 * The corpus of the policy again, with a sandbox: its one rule never decides looser than a user's own "allow all commands",
 * lifts no denial of the user, and changes nothing in plan mode. Short: every fortieth row.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from '../policy/builtin-rules.ts';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { effectivePriority, STRICTNESS } from '../policy/rule.ts';
import type { PolicyDecision, PolicyRule } from '../policy/rule.ts';
import { chooseProfile } from '../sandbox/sandbox-profile.ts';
import { sandboxRules } from './workspace-sandbox.ts';

const CORPUS = join(import.meta.dirname, '../policy/shell/shell-bypasses.json');
const COMMANDS = [
  ...new Set((JSON.parse(readFileSync(CORPUS, 'utf8')) as { command: string }[]).map((row) => row.command)),
];
const STEP = inject('isEndurance') ? 1 : 40;
const LIMIT_MS = 600_000;
const chosen = COMMANDS.filter((_, index) => index % STEP === 0);

const rule = (decision: PolicyDecision, more: Partial<PolicyRule> = {}): PolicyRule => ({
  ...{ toolName: 'run_shell_command', decision, kind: 'user', source: { name: 'a file' } },
  ...{ priority: effectivePriority('user', 100), ...more },
});

/** Decides on every chosen command. */
async function decideAll(rules: readonly PolicyRule[], mode: ApprovalMode): Promise<PolicyDecision[]> {
  const root = '/home/castor-nobody/project';
  const engine = new PolicyEngine({
    ...{ rules: [...BUILTIN_RULES, ...rules], checkers: BUILTIN_CHECKERS, root, home: '/home/castor-nobody' },
  });
  const decisions: PolicyDecision[] = [];
  for (const command of chosen) {
    const call = { toolName: 'run_shell_command', args: { command } };
    decisions.push((await engine.check(call, { mode, interactive: true })).decision);
  }
  return decisions;
}

/** The commands on which the first list decides looser than the second. */
const looser = (decisions: readonly PolicyDecision[], bound: readonly PolicyDecision[]) =>
  chosen.filter((_, index) => STRICTNESS[decisions[index] ?? 'allow'] < STRICTNESS[bound[index] ?? 'deny']);

const MODES = ['default', 'autoEdit', 'yolo', 'plan'] as const;

describe.each(MODES.map((mode) => [mode, chooseProfile({ mode, isTrusted: true, hasNetwork: false })] as const))(
  'in mode %s, whose profile is %s',
  (mode) => {
    it(
      'no command of the corpus is decided looser than a user who allows all commands would',
      async () => {
        const sandboxed = await decideAll(sandboxRules('always'), mode);
        const bare = await decideAll([], mode);
        // Without the rule of the sandbox nothing is stricter than it was.
        expect(looser(bare, sandboxed)).toEqual([]);
        if (mode === 'plan') return expect(sandboxed).toEqual(bare);
        const allowed = await decideAll([rule('allow', { allowRedirection: true })], mode);
        return expect(looser(sandboxed, allowed)).toEqual([]);
      },
      LIMIT_MS,
    );
  },
);

it(
  'a rule of the user that denies or asks holds for every command of the corpus',
  async () => {
    for (const decision of ['deny', 'ask_user'] as const) {
      const decided = await decideAll([...sandboxRules('always'), rule(decision)], 'autoEdit');
      expect(decided.filter((each) => each === 'allow')).toEqual([]);
    }
  },
  LIMIT_MS,
);
