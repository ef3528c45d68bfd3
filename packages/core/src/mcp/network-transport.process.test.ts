/** MCP servers over real HTTP: streamable HTTP, SSE and the fallback between them. */

import { mcp, mcpServer } from '@castor/testkit';
import type { McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { McpManager } from './mcp-manager.ts';
import { createOpenTransport } from './open-transport.ts';
import { selectServers } from './select-servers.ts';

const NEVER = new AbortController().signal;
const ECHO: McpScript = { tools: [{ name: 'echo' }] };
const START_LIMIT = 30_000;
/** How long a server may take to confirm the handshake. */
const HEARD = 3_000;

/** Real time, except for the pauses before another attempt. */
const hasty: Clock = {
  ...systemClock,
  sleep: (ms, signal) =>
    systemClock.sleep(ms >= 500 && ms < 60_000 && ms !== START_LIMIT && ms !== HEARD ? 0 : ms, signal),
};

/** Nothing is overdue. */
const unhurried: Clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(60_000, signal) };

async function open(entry: object, clock = hasty) {
  const registry = new ToolRegistry();
  const servers = { one: entry };
  let wake = () => {};
  const manager = new McpManager({
    servers: selectServers([{ source: 'user', servers, written: servers }]).servers,
    idle: [],
    tools: registry,
    open: createOpenTransport({ root: process.cwd(), environment: {}, clock }),
    clientVersion: '1.0.0',
    clock,
    onEvent: () => wake(),
  });
  await manager.settle(60_000, NEVER);
  return {
    registry,
    get state() {
      return manager.servers[0]!;
    },
    async call(args: Record<string, unknown>, signal = NEVER) {
      const tool = registry.getTool('mcp_one_echo');
      return tool!.build(args).execute({ callId: 'c', signal, onOutput: () => {}, onPid: () => {} });
    },
    async until(isMet: () => boolean) {
      while (!isMet()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    [Symbol.asyncDispose]: () => manager.dispose(),
  };
}

const untrusted = (text: string) => [{ text: `<untrusted_context>\n${text}\n</untrusted_context>` }];

describe('a server over HTTP', () => {
  it.each<[string, McpScript, (server: { url: string; sseUrl: string }) => object]>([
    ['httpUrl', ECHO, ({ url }) => ({ httpUrl: url })],
    ['url and type http', ECHO, ({ url }) => ({ url, type: 'http' })],
    ['url alone', ECHO, ({ url }) => ({ url })],
    ['answers as JSON', { ...ECHO, http: { answers: 'json' } }, ({ url }) => ({ url })],
    ['no sessions', { ...ECHO, http: { sessions: 'none' } }, ({ url }) => ({ url })],
    ['no listening stream', { ...ECHO, http: { stream: false } }, ({ url }) => ({ url })],
    ['url and type sse', ECHO, ({ sseUrl }) => ({ url: sseUrl, type: 'sse' })],
    ['url of an SSE server', { ...ECHO, http: { transports: ['sse'] } }, ({ sseUrl }) => ({ url: sseUrl })],
  ])('is ready and answers: %s', async (_name, script, entryOf) => {
    await using server = await mcpServer(script);
    await using run = await open(entryOf(server));
    expect(run.state).toMatchObject({ status: 'ready', tools: ['mcp_one_echo'] });
    expect((await run.call({ a: 1 })).llmContent).toEqual(untrusted('{"a":1}'));
    server.record.assertLegal();
  });

  it('has heard of the end of the handshake before it is asked for its tools', async () => {
    const hears = mcp.on('POST /mcp', [mcp.gate('heard'), mcp.pass()], { name: 'notifications/initialized' });
    await using server = await mcpServer({ ...ECHO, rules: [hears] });
    const opening = open({ httpUrl: server.url }, unhurried);
    await server.record.reached('heard');
    server.release('heard');
    await using _run = await opening;
    server.record.assertLegal();
  });

  it('gets the configured headers', async () => {
    await using server = await mcpServer({ ...ECHO, http: { requires: { authorization: 'Bearer t' } } });
    await using run = await open({ url: server.url, headers: { Authorization: 'Bearer t' } });
    expect(run.state.status).toBe('ready');
    await using refused = await open({ url: server.url });
    expect(refused.state).toMatchObject({
      status: 'failed',
      lastError: 'It requires a sign-in (401).',
    });
  });

  it('is told of a cancel', async () => {
    await using server = await mcpServer({
      ...ECHO,
      rules: [mcp.on('tools/call', [mcp.gate('called'), mcp.untilCancelled()])],
    });
    await using run = await open({ url: server.url });
    const cancel = new AbortController();
    const calling = run.call({}, cancel.signal);
    server.release('called');
    cancel.abort();
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
    await server.record.until((record) => record.received().some(({ method }) => method === 'notifications/cancelled'));
  });

  it.each<[string, (server: { url: string; sseUrl: string }) => object]>([
    ['streamable HTTP', ({ url }) => ({ httpUrl: url })],
    ['SSE', ({ sseUrl }) => ({ url: sseUrl, type: 'sse' })],
  ])('is told of a cancel also when Castor ends at once, over %s', async (name, entryOf) => {
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('tools/call', [mcp.untilCancelled()])] });
    const run = await open(entryOf(server));
    const cancel = new AbortController();
    const calling = run.call({}, cancel.signal).catch(() => undefined);
    await server.record.until((record) => record.calls('echo').length === 1);
    cancel.abort();
    await run[Symbol.asyncDispose]();
    expect(server.record.received('notifications/cancelled')).toHaveLength(1);
    expect(server.record.requests('DELETE /mcp')).toHaveLength(name === 'SSE' ? 0 : 1);
    await calling;
  });

  it.each<[string, (server: { url: string; sseUrl: string }) => object]>([
    ['streamable HTTP', ({ url }) => ({ httpUrl: url })],
    ['SSE', ({ sseUrl }) => ({ url: sseUrl, type: 'sse' })],
  ])('that goes fails the call in flight, over %s', async (_name, entryOf) => {
    const begins = mcp.notify('notifications/message', { level: 'info', data: 'working' });
    const server = await mcpServer({ ...ECHO, rules: [mcp.on('tools/call', [begins, mcp.untilCancelled()])] });
    await using run = await open(entryOf(server));
    const calling = run.call({});
    await run.until(() => run.state.log.length === 1);
    await server[Symbol.asyncDispose]();
    expect((await calling).error?.message).toContain('The connection to the server broke');
  });

  it.each<[string, Parameters<typeof mcp.on>[1]]>([
    ['ends', [mcp.drop()]],
    ['resets', [mcp.notify('notifications/message', { level: 'info', data: 'working' }), mcp.reset()]],
  ])('that %s its answer without a result fails the call, and answers the next one', async (_name, actions) => {
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('tools/call', actions, { nth: 1 })] });
    await using run = await open({ httpUrl: server.url });
    expect((await run.call({})).error?.message).toContain('The server ended its answer without a result.');
    expect((await run.call({ b: 2 })).llmContent).toEqual(untrusted('{"b":2}'));
    expect(run.state.attempts).toBe(1);
  });

  it('that ends its stream of events fails the call in flight and is connected to again, over SSE', async () => {
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('tools/call', [mcp.drop()], { nth: 1 })] });
    await using run = await open({ url: server.sseUrl, type: 'sse' });
    expect((await run.call({})).error?.message).toContain('The connection to the server broke');
    await run.until(() => run.state.status === 'ready' && run.state.attempts === 2);
    expect((await run.call({ b: 2 })).llmContent).toEqual(untrusted('{"b":2}'));
    server.record.assertLegal();
  });

  it('that ends its listening stream at once is asked ever less often, whatever pause it wants', async () => {
    const waits: number[] = [];
    const clock: Clock = {
      ...hasty,
      sleep: (ms, signal) => {
        waits.push(ms);
        return hasty.sleep(ms, signal);
      },
    };
    const ended = mcp.status(200, { headers: { 'content-type': 'text/event-stream' }, body: 'retry: 0\n\n' });
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('GET /mcp', [ended])] });
    await using run = await open({ httpUrl: server.url }, clock);
    // A pause of less than a second belongs to the lists of the start.
    const pauses = () => waits.filter((ms) => ms >= 1_000 && ms < 60_000 && ms !== START_LIMIT && ms !== HEARD);
    await server.record.until(() => pauses().length >= 3);
    expect(run.state.status).toBe('ready');
    expect(pauses().slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
  });

  it('that does not answer does not hold up the end', async () => {
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('DELETE /mcp', [mcp.gate('never')])] });
    const run = await open({ httpUrl: server.url });
    await run[Symbol.asyncDispose]();
    expect(server.record.requests('DELETE /mcp')).toHaveLength(1);
  });

  it('that forgot the session fails one call and is connected to again', async () => {
    await using server = await mcpServer(ECHO);
    await using run = await open({ url: server.url });
    server.forgetSessions();
    expect((await run.call({})).error?.type).toBe('mcp_tool_error');
    await run.until(() => run.state.status === 'ready' && run.state.attempts === 2);
    expect((await run.call({ b: 2 })).llmContent).toEqual(untrusted('{"b":2}'));
  });

  it('follows a changed list', async () => {
    await using server = await mcpServer(ECHO);
    await using run = await open({ url: server.url });
    await server.play([mcp.change({ tools: [{ name: 'new' }] }), mcp.notify('notifications/tools/list_changed')]);
    await run.until(() => run.registry.getTool('mcp_one_new') !== undefined);
  });

  it.each([403, 503])('that answers with %i is named with the status', async (status) => {
    await using server = await mcpServer({ ...ECHO, rules: [mcp.on('POST /mcp', [mcp.status(status)])] });
    await using run = await open({ httpUrl: server.url });
    expect(run.state).toMatchObject({
      status: 'failed',
      lastError: expect.stringMatching(new RegExp(`^The server answered with the status ${status}\\b`)) as string,
    });
  });

  it('that is not there is one sentence', async () => {
    await using run = await open({ url: 'http://127.0.0.1:1025/mcp' });
    expect(run.state).toMatchObject({
      status: 'failed',
      lastError: expect.stringMatching(/^http:.* is not reachable: .*(ECONNREFUSED|bad port)/) as string,
    });
  });
});
