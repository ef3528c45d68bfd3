/** Modes × rules × profiles, and the setting: when a command in the sandbox needs no question, and what still asks or denies. */

import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BUILTIN_RULES } from '../policy/builtin-rules.ts';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { effectivePriority } from '../policy/rule.ts';
import type { PolicyDecision, PolicyRule } from '../policy/rule.ts';
import { accessOf } from '../sandbox/find-denials.ts';
import { planSandbox } from '../sandbox/sandbox-plan.ts';
import type { SandboxFacts } from '../sandbox/sandbox-plan.ts';
import { chooseProfile, describeBounds } from '../sandbox/sandbox-profile.ts';
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
  ['plan', 'never', 'deny', 'deny'],
  ['plan', 'auto_edit', 'deny', 'deny'],
  ['plan', 'always', 'deny', 'deny'],
];

it('lists every mode with every setting', () => {
  expect(new Set(ROWS.map(([mode, autoAllow]) => `${mode} ${autoAllow}`)).size).toBe(MODES.length * 4);
});

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

const PROFILES = MODES.flatMap((mode) =>
  [true, false].flatMap((isTrusted) =>
    [true, false].flatMap((hasNetwork) =>
      [true, false].map((isReadOnly) => [mode, isTrusted, hasNetwork, isReadOnly] as const),
    ),
  ),
);

it.each(PROFILES)(
  'in mode %s, trusted %s, with network %s, read-only by its file %s, the profile is the narrowest that applies',
  (mode, isTrusted, hasNetwork, isReadOnly) => {
    const isNarrow = mode === 'plan' || !isTrusted || isReadOnly;
    const widest = hasNetwork ? 'workspace-write+net' : 'workspace-write';
    expect(chooseProfile({ mode, isTrusted, hasNetwork, isReadOnly })).toBe(isNarrow ? 'read-only' : widest);
  },
);

/** The corners of the file system and the network, by profile: what a rule allows, the bounds still hold. */
const FACTS: SandboxFacts = {
  ...{ home: '/home/me', roots: ['/home/me/work'], writable: ['/srv/granted'], readable: [], repository: [] },
  hidden: [{ path: '/home/me/.ssh', isFolder: true }],
  caches: ['/home/me/.npm'],
  protectedPaths: ['/home/me/work/.git/hooks'],
  ...{ temporary: '/tmp/session', emptyFile: '/tmp/empty' },
};

it.each([
  ['read-only', 'read-only', 'read-only', 'read-only', 'none'],
  ['workspace-write', 'writable', 'writable', 'writable', 'asks'],
  ['workspace-write+net', 'writable', 'writable', 'writable', 'asks'],
] as const)(
  'the profile %s: workspace %s, granted path %s, cache %s',
  (profile, workspace, granted, cache, network) => {
    const plan = planSandbox(FACTS, profile);
    const places = ['/home/me/work/a', '/srv/granted/a', '/home/me/.npm/a'].map((path) => accessOf(plan, path));
    expect(places).toEqual([workspace, granted, cache]);
    expect(['/home/me/.ssh/id', '/home/me/.bashrc', '/etc/passwd'].map((path) => accessOf(plan, path))).toEqual([
      'hidden',
      'read-only',
      'read-only',
    ]);
    expect([accessOf(plan, '/home/me/work/.git/hooks/pre-commit'), accessOf(plan, '/tmp/x')]).toEqual([
      'read-only',
      'writable',
    ]);
    const said = describeBounds(profile, ['/home/me/work'], profile === 'workspace-write+net' ? ['example.org'] : []);
    expect(said.includes('ask the user about other hosts')).toBe(network === 'asks');
    expect(said.includes('example.org')).toBe(profile === 'workspace-write+net');
  },
);

it('the profile off says nothing to the model', () => {
  expect(describeBounds('off', ['/home/me/work'], [])).toBe('');
});
