/** Lasting answers about tools of MCP servers: their scope, and what a changed tool does to them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { loadPolicies } from '../policy/policy-loader.ts';
import type { ToolConfirmationOutcome, ToolServer } from '../protocol/tools.ts';
import { computeSources } from '../config/sources.ts';
import { PolicyAdapter } from './policy-adapter.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(`${tmpdir()}/castor-approvals-`);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

async function openPolicy({
  interactive = true,
  trusted = [] as string[],
  allowed = [] as string[],
} = {}): Promise<PolicyAdapter> {
  const sources = computeSources({ home, root: home, trustedFolder: true, platform: 'linux' });
  const { rules, checkers } = await loadPolicies({
    sources,
    platform: 'linux',
    settings: { mcpTrusted: trusted, allowed },
  });
  const engine = new PolicyEngine({
    ...{ rules, checkers, root: home, home, workspaceDirectories: [home], tempDirectory: home, plansDirectory: home },
    trustedFolder: true,
  });
  const hints = { allowChangedTool: (name: string) => `Allow ${name} with --allow.` };
  return new PolicyAdapter({ engine, mode: 'default', interactive, home, hints });
}

function ask(tool: string, fingerprint = 'd.s', more: Partial<ToolServer> = {}) {
  const fingerprints = () => ({ read: 'd.s', write: 'd.s' });
  const server = { name: 'my_files', tool, isTrusted: false, annotations: {}, fingerprint, fingerprints, ...more };
  return { toolName: `mcp_my_files_${tool}`, args: {}, kind: 'other' as const, server };
}

async function remember(policy: PolicyAdapter, tool: string, outcome: ToolConfirmationOutcome): Promise<void> {
  const details = { type: 'mcp', title: '', serverName: 'my_files', toolName: tool, toolDisplayName: '' } as const;
  await policy.remember({ ...ask(tool), outcome, details });
}

it.each<[ToolConfirmationOutcome, string, string]>([
  ['proceed_always_tool', 'allow', 'ask_user'],
  ['proceed_always_server', 'allow', 'allow'],
])('%s covers the tool (%s) and another tool of the server (%s)', async (outcome, same, other) => {
  const policy = await openPolicy();
  await remember(policy, 'read', outcome);
  expect((await policy.check(ask('read'))).decision).toBe(same);
  expect((await policy.check(ask('write'))).decision).toBe(other);
  const stranger = { ...ask('read'), server: { ...ask('read').server, name: 'my' } };
  expect((await policy.check(stranger)).decision).toBe('ask_user');
});

it.each([
  ['x.s', 'The description of this tool changed since you allowed it.'],
  ['d.x', 'The schema of this tool changed since you allowed it.'],
  ['x.x', 'The description and schema of this tool changed since you allowed it.'],
])('asks again about a tool that became %s, and says what changed', async (fingerprint, reason) => {
  for (const outcome of ['proceed_always_tool', 'proceed_always_server'] as const) {
    const policy = await openPolicy();
    await remember(policy, 'read', outcome);
    expect(await policy.check(ask('read', fingerprint))).toMatchObject({ decision: 'ask_user', reason });
    expect((await policy.check(ask('read'))).decision).toBe('allow');
  }
});

it('for a whole server covers the tools it had: one that changed before its first use or came later asks', async () => {
  const policy = await openPolicy();
  await remember(policy, 'read', 'proceed_always_server');
  expect(await policy.check(ask('write', 'x.s'))).toMatchObject({
    decision: 'ask_user',
    reason: 'The description of this tool changed since you allowed it.',
  });
  const added = { decision: 'ask_user', reason: 'This tool is new since you allowed the tools of this server.' };
  expect(await policy.check(ask('delete'))).toMatchObject(added);
  expect(await policy.check(ask('delete'))).toMatchObject(added);
  const child = policy.at({ root: home, workspaceDirectories: [home] });
  expect((await child.check(ask('write'))).decision).toBe('allow');
  await remember(policy, 'delete', 'proceed_always_tool');
  expect((await policy.check(ask('delete'))).decision).toBe('allow');
});

it('binds a saved answer to the tool, for every later run', async () => {
  await remember(await openPolicy(), 'read', 'proceed_always_and_save');
  const later = await openPolicy({ interactive: false });
  expect((await later.check(ask('read'))).decision).toBe('allow');
  expect(await later.check(ask('read', 'x.s'))).toMatchObject({
    decision: 'deny',
    denyMessage: expect.stringMatching(
      /^The description of this tool changed.* cannot ask again\. Allow mcp_my_files_read with --allow\.$/,
    ) as string,
  });
  const allowing = await openPolicy({ interactive: false, allowed: ['mcp_my_files_read'] });
  expect((await allowing.check(ask('read', 'x.s'))).decision).toBe('allow');
});

it('does not ask again where the settings trust the server', async () => {
  const policy = await openPolicy({ trusted: ['my_files'] });
  await policy.check(ask('read'));
  expect((await policy.check(ask('read', 'x.x'))).decision).toBe('allow');
});
