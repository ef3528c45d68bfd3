import { describe, expect, it } from 'vitest';
import type { ToolKind } from '../protocol/tools.ts';
import type { ApprovalMode } from './approval-mode.ts';
import { BUILTIN_RULES } from './builtin-rules.ts';
import { PolicyEngine } from './policy-engine.ts';
import type { PolicyCall } from './rule.ts';

const engine = new PolicyEngine({ rules: BUILTIN_RULES, root: '/project', home: '/home/user' });

async function decide(call: Omit<PolicyCall, 'args'>, mode: ApprovalMode = 'default', interactive = true) {
  return (await engine.check({ args: {}, ...call }, { mode, interactive })).decision;
}

describe('the built-in rules for a caller’s own tool', () => {
  it.each<[ToolKind, string, string, string]>([
    ['read', 'allow', 'allow', 'allow'],
    ['search', 'allow', 'allow', 'allow'],
    ['think', 'allow', 'allow', 'allow'],
    ['edit', 'ask_user', 'deny', 'deny'],
    ['execute', 'ask_user', 'deny', 'deny'],
    ['other', 'ask_user', 'deny', 'deny'],
  ])('go by its kind: %s', async (kind, attended, headless, plan) => {
    const call = { toolName: 'my_own', kind };
    expect([await decide(call), await decide(call, 'default', false), await decide(call, 'plan')]).toEqual([
      attended,
      headless,
      plan,
    ]);
  });

  it('offer a reading tool where no user can be asked, and no other', () => {
    const tools = [
      { toolName: 'look', kind: 'read' as const },
      { toolName: 'act', kind: 'edit' as const },
    ];
    expect(engine.staticallyDenied(tools, { mode: 'default', interactive: false })).toEqual(['act']);
  });

  it('do not go by a name that belongs to a reading tool', async () => {
    expect(await decide({ toolName: 'read_file', kind: 'edit' })).toBe('ask_user');
    expect(await decide({ toolName: 'read_file', kind: 'execute' }, 'plan')).toBe('deny');
    expect(await decide({ toolName: 'read_file', kind: 'read' })).toBe('allow');
  });

  it('go by the name where the kind is unknown, and never by what a server says of its tool', async () => {
    expect(await decide({ toolName: 'read_file' })).toBe('allow');
    expect(await decide({ toolName: 'my_own' })).toBe('ask_user');
    expect(await decide({ toolName: 'mcp_files_read', mcpServer: 'files', kind: 'read' })).toBe('ask_user');
  });
});
