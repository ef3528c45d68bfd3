/** What the first prompt waits for, so that two runs send the same declarations, and what it tells meanwhile. */

import { mcp, mcpServer, mcpStdioCommand } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { openForTest } from './open-servers.fixture.ts';

const RESOURCES = [{ uri: 'doc://a', name: 'A', text: 'alpha' }];

/** Time stands still, except for the waits of these lengths, which are over at once. */
const stoppedBut = (...over: number[]): Clock => ({
  ...systemClock,
  sleep: (ms, signal) =>
    over.includes(ms)
      ? Promise.resolve()
      : new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
});

describe('the first prompt', () => {
  it('waits for the resources of servers that are ready: they decide which tools the model has', async () => {
    await using server = await mcpServer({
      tools: [{ name: 'echo' }],
      resources: RESOURCES,
      rules: [mcp.on('resources/list', [mcp.gate('list'), mcp.answer()])],
    });
    await using run = openForTest({ one: { httpUrl: server.url } }, { clock: stoppedBut() });
    const prepared = run.prepare();
    await run.until(() => run.servers.states[0]?.status === 'ready');
    expect(run.registry.getTool('read_mcp_resource')).toBeUndefined();
    server.release('list');
    await prepared;
    expect(run.registry.getTool('read_mcp_resource')).toBeDefined();
  });

  it('does not wait long for a server that never lists its resources', async () => {
    await using server = await mcpServer({
      tools: [{ name: 'echo' }],
      resources: RESOURCES,
      rules: [mcp.on('resources/list', [mcp.gate('never')])],
    });
    await using run = openForTest({ one: { httpUrl: server.url } }, { clock: stoppedBut(1_000) });
    await run.until(() => run.servers.states[0]?.status === 'ready');
    expect(await run.prepare()).toEqual([]);
  });

  it('names the limit of the servers it waits for, not the longest there is', async () => {
    await using server = await mcpServer({ rules: [mcp.on('initialize', [mcp.gate('never')])] });
    await using run = openForTest(
      { one: { httpUrl: server.url, timeout: 3_000 } },
      { clock: stoppedBut(1_000, 7_000) },
    );
    expect(await run.prepare()).toMatchObject([
      { message: 'Waiting at most 3 s for MCP servers: one.' },
      { message: expect.stringContaining('still connecting') as string },
    ]);
  });
});

it('a reload does not wait for a server that is late: the next prompt does, as the first one did', async () => {
  await using server = await mcpServer({
    tools: [{ name: 'echo' }],
    rules: [mcp.on('initialize', [mcp.gate('late'), mcp.answer()], { nth: 2 })],
  });
  const over: number[] = [];
  const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => stoppedBut(...over).sleep(ms, signal) };
  const wait = { promptWaitMs: 5_000, showsWait: true };
  await using run = openForTest({ one: { httpUrl: server.url } }, { clock, ...wait });
  expect(await run.prepare()).toEqual([]);
  over.push(1_000);
  await run.servers.reload();
  expect(run.servers.states).toMatchObject([{ name: 'one', status: 'connecting' }]);
  const prepared = run.prepare();
  await run.until(() => run.servers.wait !== undefined);
  expect(run.servers.wait).toBe('Connecting to MCP servers... (0/1) - Waiting for: one');
  server.release('late');
  expect(await prepared).toEqual([]);
  expect(run.registry.getTool('mcp_one_echo')).toBeDefined();
});

it('tools that a server adds while it lists them are there when it is ready', async () => {
  const changed = mcp.notify('notifications/tools/list_changed');
  await using one = await mcpStdioCommand({
    tools: [{ name: 'early' }],
    rules: [
      mcp.on('tools/list', [changed, mcp.answer(), mcp.change({ tools: [{ name: 'early' }, { name: 'grown' }] })], {
        nth: 1,
      }),
      mcp.on('tools/list', [mcp.gate('again'), mcp.answer()], { nth: 2 }),
    ],
  });
  await using run = openForTest({ one: one.entry });
  await one.readRecord().reached('again');
  expect(run.servers.states[0]?.status).toBe('connecting');
  one.release('again');
  await run.prepare();
  expect(run.registry.list().map(({ name }) => name)).toEqual(['mcp_one_early', 'mcp_one_grown']);
});
