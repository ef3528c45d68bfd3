/** Modes × rules × the setting: when a command in the sandbox needs no question, and what still asks or denies. */

import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BUILTIN_RULES } from '../policy/builtin-rules.ts';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { effectivePriority } from '../policy/rule.ts';
import type { PolicyDecision, PolicyRule } from '../policy/rule.ts';
import { chooseProfile } from '../sandbox/sandbox-profile.ts';
import { sandboxRules } from './workspace-sandbox.ts';

const MODES = ['default', 'autoEdit', 'yolo', 'plan'] as const;
const rule = (decision: PolicyDecision): PolicyRule => ({
  toolName: 'run_shell_command',
  commandPrefix: 'make',
  decision,
  priority: effectivePriority('user', 100),
  kind: 'user',
  source: { name: 'a file' },
});

async function decide(
  command: string,
  {
    mode,
    own,
    autoAllow,
    interactive = true,
  }: {
    mode: (typeof MODES)[number];
    own?: PolicyRule;
    autoAllow: 'never' | 'auto_edit' | 'always' | 'off';
    interactive?: boolean;
  },
): Promise<PolicyDecision> {
  const rules = [...BUILTIN_RULES, ...(autoAllow === 'off' ? [] : sandboxRules(autoAllow)), ...(own ? [own] : [])];
  const engine = new PolicyEngine({ rules, root: tmpdir(), home: '/home/nobody' });
  return (
    await engine.check({ toolName: 'run_shell_command', args: { command }, kind: 'execute' }, { mode, interactive })
  ).decision;
}

type Row = [
  mode: (typeof MODES)[number],
  autoAllow: 'never' | 'auto_edit' | 'always' | 'off',
  none: PolicyDecision,
  ask: PolicyDecision,
];

const ROWS: Row[] = [
  ['default', 'off', 'ask_user', 'ask_user'],
  ['default', 'never', 'ask_user', 'ask_user'],
  ['default', 'auto_edit', 'ask_user', 'ask_user'],
  ['default', 'always', 'allow', 'ask_user'],
  ['autoEdit', 'off', 'ask_user', 'ask_user'],
  ['autoEdit', 'never', 'ask_user', 'ask_user'],
  ['autoEdit', 'auto_edit', 'allow', 'ask_user'],
  ['autoEdit', 'always', 'allow', 'ask_user'],
  ['yolo', 'off', 'allow', 'ask_user'],
  ['yolo', 'never', 'allow', 'ask_user'],
  ['yolo', 'auto_edit', 'allow', 'ask_user'],
  ['yolo', 'always', 'allow', 'ask_user'],
  ['plan', 'off', 'deny', 'deny'],
  ['plan', 'always', 'deny', 'deny'],
];

describe.each(ROWS)('in mode %s with autoAllowSandboxed %s', (mode, autoAllow, none, ask) => {
  it('decides by the strictest of mode, rule and sandbox', async () => {
    expect(await decide('make test', { mode, autoAllow })).toBe(none);
    expect(await decide('make test', { mode, autoAllow, own: rule('ask_user') })).toBe(ask);
    expect(await decide('make test', { mode, autoAllow, own: rule('deny') })).toBe('deny');
    expect(await decide('make test', { mode, autoAllow, own: rule('allow') })).toBe(mode === 'plan' ? 'deny' : 'allow');
  });

  it('asks about protected files all the same', async () => {
    const verdict = await decide('echo x > .git/hooks/pre-commit', { mode, autoAllow });
    expect(verdict).not.toBe('allow');
  });

  it('denies without a user what it would ask about', async () => {
    const verdict = await decide('make test', { mode, autoAllow, interactive: false });
    expect(verdict).toBe(none === 'allow' ? 'allow' : 'deny');
  });
});

it.each(MODES.flatMap((mode) => [true, false].map((isTrusted) => [mode, isTrusted] as const)))(
  'in mode %s, trusted %s, the profile is the narrowest that applies',
  (mode, isTrusted) => {
    const of = (hasNetwork: boolean) => chooseProfile({ mode, isTrusted, hasNetwork });
    const isReadOnly = mode === 'plan' || !isTrusted;
    expect([of(false), of(true)]).toEqual(
      isReadOnly ? ['read-only', 'read-only'] : ['workspace-write', 'workspace-write+net'],
    );
  },
);
