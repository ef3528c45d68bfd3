/** The consent to MCP servers of a project in the terminal UI: what is shown, the default, and what starts. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, mcpStdioCommand, say, startTerminal } from '@castor/testkit';
import type { McpStdioCommand, Workspace } from '@castor/testkit';
import { expect, it } from 'vitest';
import { READY } from '../tui/open-terminal.ts';

const DOWN = '\x1b[B';
const ASKS = 'This project wants to start an MCP server with your permissions';

const settingsOf = (server: McpStdioCommand, more: object = {}) =>
  JSON.stringify({ mcpServers: { one: { ...server.entry, env: { ...server.entry.env, MODE: 'x' }, ...more } } });

const trust = (workspace: Workspace) =>
  workspace.write('../home/.gemini/trustedFolders.json', JSON.stringify({ [workspace.project]: 'TRUST_FOLDER' }));

const wide = { rows: 40, columns: 160 };

it('shows what would run in a trusted folder, starts nothing by default, and starts it after a yes', async () => {
  await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
  await using workspace = await createWorkspace({ files: { '.gemini/settings.json': settingsOf(server) } });
  await trust(workspace);
  await using model = await fakeModel(() => say('ok'));
  {
    await using terminal = await startTerminal([], { workspace, model, ...wide });
    await terminal.waitForText(ASKS);
    const screen = terminal.screen().join('\n');
    expect(screen).toContain(`- one (${server.entry.command}`);
    expect(screen).toContain('MODE');
    expect(screen).toContain("❯ 1  Don't start (ask again next time)");
    terminal.type('\r');
    await terminal.waitForText(READY);
    await terminal.waitForText(/do not start without your consent: one\s/);
    terminal.type('/mcp trust\r');
    await terminal.waitForText(ASKS);
    expect(server.readRecord().starts).toBe(0);
    terminal.type(`${DOWN}\r`);
    await terminal.waitForText('You consented to: one.');
    terminal.type('/mcp list\r');
    await terminal.waitForText('one - Ready');
  }
  await using again = await startTerminal([], { workspace, model, ...wide });
  await again.waitForText(READY);
  await server.readRecord().until((record) => record.starts === 2);
  expect(again.lines().join('\n')).not.toContain(ASKS);
});

it('asks again about a changed entry, and says that it changed', { tags: 'wide' }, async () => {
  await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
  await using workspace = await createWorkspace({ files: { '.gemini/settings.json': settingsOf(server) } });
  await trust(workspace);
  await using model = await fakeModel(() => say('ok'));
  {
    await using terminal = await startTerminal([], { workspace, model, ...wide });
    await terminal.waitForText(ASKS);
    terminal.type('2');
    await terminal.waitForText(READY);
    await server.readRecord().until((record) => record.starts === 1);
    await workspace.write('.gemini/settings.json', settingsOf(server, { trust: true }));
    terminal.type('/mcp reload\r');
    await terminal.waitForText('has changed since your consent');
  }
  await using terminal = await startTerminal([], { workspace, model, ...wide });
  await terminal.waitForText(ASKS);
  await terminal.waitForText('changed since you agreed to it');
  expect(terminal.screen().join('\n')).toContain('its tools need no approval');
});

it('lists the programs of a folder in the question about trust, and agrees to what it listed', async () => {
  await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
  const settings = { ...(JSON.parse(settingsOf(server)) as object) };
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: 'echo hook-of-the-project' }] }] };
  await using workspace = await createWorkspace({
    files: { '.gemini/settings.json': JSON.stringify({ ...settings, hooks }) },
  });
  await using model = await fakeModel(() => say('ok'));
  await using terminal = await startTerminal([], { workspace, model, ...wide });
  await terminal.waitForText('Trust this folder?');
  const screen = terminal.screen().join('\n');
  expect(screen).toContain('With your permissions it would run:');
  expect(screen).toContain(`- MCP server one (${server.entry.command}`);
  expect(screen).toContain('- hook at SessionStart: echo hook-of-the-project');
  // The file changes while the question is open: the consent is to what was shown.
  await workspace.write('.gemini/settings.json', settingsOf(server, { trust: true }));
  terminal.type(`${DOWN}\r`);
  await terminal.waitForText(ASKS);
  expect(server.readRecord().starts).toBe(0);
  const record = await readFile(join(workspace.home, '.gemini', 'trusted_mcp_servers.json'), 'utf8');
  expect(Object.keys(JSON.parse(record) as object)).toEqual([workspace.project]);
});
