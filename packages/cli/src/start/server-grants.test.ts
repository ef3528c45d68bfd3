/** Whose words in settings lift a question about tools of MCP servers. */

import { expect, it } from 'vitest';
import type { Settings } from '@castor/core/program';
import { findServerGrants, isOfProject } from './server-grants.ts';
import type { GrantLayer } from './server-grants.ts';

const layersOf = (user: Record<string, unknown>, workspace: Record<string, unknown>): GrantLayer[] => [
  { scope: 'user', values: user },
  { scope: 'workspace', values: workspace },
];

function grants(allowed: string[], layers: GrantLayer[]) {
  const settings = { mcp: { allowed }, admin: { mcp: { config: {}, requiredConfig: {} } } };
  return findServerGrants(settings as unknown as Settings, layers);
}

const SERVER = { command: 'x' };

it('counts mcp.allowed of the user only', () => {
  const user = { mcp: { allowed: ['Mine', 'other'] } };
  expect(grants(['mine'], layersOf(user, { mcp: { allowed: ['mine'] } })).mcpAllowed).toEqual(['mine']);
  expect(grants(['mine'], layersOf({}, { mcp: { allowed: ['mine'] } })).mcpAllowed).toEqual([]);
});

it.each<[string, object, object, string[], string[]]>([
  ['of the user', { ...SERVER, trust: true }, {}, ['a'], []],
  ['of a project that replaces the server', { ...SERVER, trust: true }, { a: { ...SERVER } }, [], []],
  ['of a project for its own server', { ...SERVER }, { a: { ...SERVER, trust: true } }, [], ['a']],
  ['of a project without an address', { ...SERVER }, { a: { trust: true } }, [], []],
])('trust %s', (_whose, mine, project, mcpTrusted, mcpTrustedByProject) => {
  const layers = layersOf({ mcpServers: { a: mine } }, { mcpServers: project });
  expect(grants([], layers)).toMatchObject({ mcpTrusted, mcpTrustedByProject });
});

it('knows whose list is in effect', () => {
  const list = { tools: { allowed: ['x'] } };
  expect(isOfProject(layersOf(list, {}), 'tools', 'allowed')).toBe(false);
  expect(isOfProject(layersOf(list, list), 'tools', 'allowed')).toBe(true);
  expect(isOfProject([...layersOf({}, list), { scope: 'system', values: list }], 'tools', 'allowed')).toBe(false);
});
