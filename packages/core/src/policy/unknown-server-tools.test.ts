import { expect, it } from 'vitest';
import type { PolicyRule } from './rule.ts';
import { findUnknownServerTools } from './unknown-server-tools.ts';
import type { KnownServer } from './unknown-server-tools.ts';

const tool = (server: string, own: string) => ({ own, called: `mcp_${server}_${own}` });
const ONE: KnownServer = { name: 'one', tools: [tool('one', 'echo'), tool('one', 'read_file')] };
const FILES: KnownServer = { name: 'my files', tools: [tool('my_files', 'read')] };
const AWAY: KnownServer = { name: 'away' };

const rule = (fields: Partial<PolicyRule>): PolicyRule => ({
  toolName: '*',
  decision: 'deny',
  priority: 4.1,
  kind: 'user',
  source: { name: 'a.toml', line: 3 },
  ...fields,
});

it.each<[Partial<PolicyRule>, string]>([
  [{ mcpName: 'one', toolName: 'ehco' }, 'ehco of one (a.toml:3; did you mean echo?)'],
  [{ mcpName: 'one', toolName: 'delete_everything' }, 'delete_everything of one (a.toml:3)'],
  [{ mcpName: 'onne', toolName: 'echo' }, 'the server onne (a.toml:3; did you mean one?)'],
  [{ toolName: 'mcp_one_ehco' }, 'mcp_one_ehco (a.toml:3; did you mean mcp_one_echo?)'],
  [{ toolName: 'mcp_onne_*' }, 'mcp_onne_* (a.toml:3; did you mean mcp_one_*?)'],
  [{ toolName: 'mcp_oen_echo' }, 'mcp_oen_echo (a.toml:3; did you mean mcp_one_echo?)'],
  [{ toolName: 'mcp_one_write*' }, 'mcp_one_write* (a.toml:3)'],
  [{ toolName: 'mcp_one_x', source: { name: 'settings: tools.allowed' } }, 'mcp_one_x (settings: tools.allowed)'],
])('names what %j misses', (fields, expected) => {
  expect(findUnknownServerTools([rule(fields)], [ONE, FILES, AWAY])).toEqual([expected]);
});

it.each<Partial<PolicyRule>>([
  { mcpName: 'one', toolName: 'echo' },
  { mcpName: 'one', toolName: 'mcp_one_echo' },
  { mcpName: 'one', toolName: '*' },
  { mcpName: '*', toolName: 'anything' },
  { mcpName: 'my files', toolName: 'read' },
  { toolName: 'mcp_my_files_read' },
  { toolName: 'mcp_one_*' },
  { toolName: 'mcp_one_read*' },
  { toolName: 'mcp_*' },
  { toolName: 'ehco' },
  // Not connected, or of another project.
  { mcpName: 'away', toolName: 'ehco' },
  { toolName: 'mcp_away_ehco' },
  { mcpName: 'elsewhere', toolName: 'echo' },
  { toolName: 'mcp_elsewhere_*' },
  // Their authors knew more than a list of now.
  { mcpName: 'one', toolName: 'ehco', subagent: 'helper' },
  { mcpName: 'one', toolName: 'gone', source: { name: '/home/a/.gemini/policies/auto-saved.toml', line: 1 } },
  { mcpName: 'one', toolName: 'ehco', kind: 'builtin' },
  { mcpName: 'none', source: { name: 'settings: mcp.allowed' } },
])('says nothing about %j', (fields) => {
  expect(findUnknownServerTools([rule(fields)], [ONE, FILES, AWAY])).toEqual([]);
});

it('names each once', () => {
  const twice = rule({ mcpName: 'one', toolName: 'ehco' });
  expect(findUnknownServerTools([twice, twice], [ONE])).toHaveLength(1);
});
