/** The life of MCP servers that are real processes: the scripted server of the test kit and its faults. */

import { tmpdir } from 'node:os';
import { mcp, mcpStdioCommand } from '@castor/testkit';
import type { McpScript, StdioFaultName } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { ChildGuard } from '../tools/run-child.ts';
import { ShellRunner } from '../tools/shell/shell-runner.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { McpManager } from './mcp-manager.ts';
import { createOpenTransport } from './open-transport.ts';
import { selectServers } from './select-servers.ts';
import type { McpEvent } from './server-state.ts';
import { variants } from '../../../../test/house/variants.ts';

const NEVER = new AbortController().signal;
const ECHO: McpScript = { tools: [{ name: 'echo', description: 'Says it again.' }] };

const CALL_LIMIT = 600_000;
const START_LIMIT = 30_000;
const UNKNOWN_GRACE = 2_000;
/** Before a process that should end is made to. */
const GRACE = 300;

/** Real time, except for the pauses before another attempt. */
const hasty: Clock = {
  ...systemClock,
  sleep: (ms, signal) => {
    const isPause = ms >= 500 && ms < 60_000 && ms !== START_LIMIT && ms !== UNKNOWN_GRACE;
    return systemClock.sleep(isPause ? 0 : ms, signal);
  },
};

/** Also the limit of a call is reached soon. */
const impatient: Clock = { ...hasty, sleep: (ms, signal) => hasty.sleep(ms === CALL_LIMIT ? 100 : ms, signal) };

type Commands = Record<string, { entry: object }>;

interface OpenOptions {
  more?: object;
  registry?: ToolRegistry;
  clock?: Clock;
  guard?: ChildGuard;
}

function open(
  commands: Commands,
  { more = {}, registry = new ToolRegistry(), clock = hasty, guard }: OpenOptions = {},
) {
  const entries = Object.entries(commands).map(([name, { entry }]) => [name, { ...entry, ...more }] as const);
  const servers = Object.fromEntries(entries);
  const events: McpEvent[] = [];
  let wake = () => {};
  const manager = new McpManager({
    servers: selectServers([{ source: 'user', servers, written: servers }]).servers,
    idle: [],
    tools: registry,
    open: createOpenTransport({ root: process.cwd(), environment: { PATH: process.env['PATH'] }, clock, guard }),
    clientVersion: '1.0.0',
    clock,
    onEvent(event) {
      events.push(event);
      wake();
    },
  });
  return {
    manager,
    registry,
    events,
    state: (name = 'one') => manager.servers.find((server) => server.name === name),
    async until(isMet: () => boolean): Promise<void> {
      while (!isMet()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    ready: () => manager.settle(60_000, NEVER),
    call: (args: Record<string, unknown> = {}, signal = NEVER, onOutput: (text: string) => void = () => {}) =>
      call(registry, 'mcp_one_echo', args, signal, onOutput),
    [Symbol.asyncDispose]: () => manager.dispose(),
  };
}

function call(
  registry: ToolRegistry,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
  onOutput: (text: string) => void,
): Promise<ToolResult> {
  const tool = registry.getTool(name);
  if (!tool) throw new Error(`${name} is not registered`);
  return tool.build(args).execute({ callId: 'c', signal, onOutput, onPid: () => {} });
}

const untrusted = (text: string) => [{ text: `<untrusted_context>\n${text}\n</untrusted_context>` }];

describe('a server', () => {
  it('is ready with its tools, answers and ends with the agent', async () => {
    await using one = await mcpStdioCommand({ ...ECHO, instructions: 'Be \u001B[1mkind.' });
    await using run = open({ one });
    expect(await run.ready()).toEqual([]);
    expect(run.state()).toMatchObject({
      status: 'ready',
      tools: ['mcp_one_echo'],
      instructions: 'Be kind.',
      attempts: 1,
      connectMs: expect.any(Number) as number,
    });
    const [tool] = run.registry.list();
    expect(tool).toMatchObject({
      displayName: 'echo (one MCP Server)',
      server: { name: 'one', tool: 'echo', isTrusted: false },
      description: 'Says it again.',
    });
    expect(await tool?.build({ a: 1 }).confirm(NEVER)).toMatchObject({
      type: 'mcp',
      serverName: 'one',
      args: { a: 1 },
    });
    expect((await run.call({ a: 1 })).llmContent).toEqual(untrusted('{"a":1}'));
    await run.manager.dispose();
    await one.untilAlive((alive) => alive.length === 0);
    one.readRecord().assertLegal();
  });

  it('starts without the secrets of the user and in the folder of the agent', async () => {
    await using one = await mcpStdioCommand(ECHO);
    process.env['CASTOR_TEST_TOKEN'] = 'secret';
    await using run = open({ one });
    await run.ready();
    const [started] = one.readRecord().of('started');
    delete process.env['CASTOR_TEST_TOKEN'];
    expect(started?.cwd).toBe(process.cwd());
    expect(started?.env['CASTOR_TEST_TOKEN']).toBeUndefined();
    expect(started?.env['GEMINI_CLI']).toBe('1');
  });

  it('shows progress live and is told of a cancel', async () => {
    const run1 = [mcp.progress(1, { total: 4, message: 'wor\u001B[2Jking' }), mcp.progress(7), mcp.untilCancelled()];
    await using one = await mcpStdioCommand({ tools: [{ name: 'echo', run: run1 }] });
    await using run = open({ one });
    await run.ready();
    const cancel = new AbortController();
    const printed: string[] = [];
    const calling = run.call({}, cancel.signal, (text) => {
      printed.push(text);
      if (printed.length === 2) cancel.abort();
    });
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
    expect(printed).toEqual(['working 25%\n', '7\n']);
    await one.readRecord().until((record) => record.of('cancelled').length > 0);
  });

  it('reads all pages, and offers its tools in the same order and bytes in every run', async () => {
    const tools = Array.from({ length: 25 }, (_, index) => ({ name: `t${(index * 7) % 25}` }));
    const declared: string[] = [];
    for (const script of [
      { tools, pages: { size: 4 } },
      { tools: tools.toReversed(), isRotating: true },
    ]) {
      await using one = await mcpStdioCommand(script);
      await using run = open({ one });
      await run.ready();
      declared.push(JSON.stringify(run.registry.declarations()));
    }
    expect(JSON.parse(declared[0]!)).toHaveLength(25);
    expect(declared[0]).toBe(declared[1]);
  });

  it.each(['loop', 'same'] as const)('is ready although its cursors never end (%s)', async (cursors) => {
    await using one = await mcpStdioCommand({ tools: [{ name: 'a' }, { name: 'b' }], pages: { size: 1, cursors } });
    await using run = open({ one });
    await run.ready();
    expect(run.state()?.status).toBe('ready');
    expect(run.registry.getTool('mcp_one_a')).toBeDefined();
  });

  it('fails with a sentence when its tools are no list', async () => {
    const rules = [mcp.on('tools/list', [mcp.answer({ result: { tools: 'none' } })])];
    await using one = await mcpStdioCommand({ ...ECHO, rules });
    await using run = open({ one });
    await run.ready();
    expect(run.state()).toMatchObject({
      status: 'failed',
      lastError: "The server's answer to tools/list has no list of tools.",
    });
  });

  it('keeps what was read when its pages never end, and says so', { tags: 'wide' }, async () => {
    await using one = await mcpStdioCommand({ ...ECHO, pages: { size: 1, cursors: 'endless' } });
    await using run = open({ one });
    await run.ready();
    expect(run.state()).toMatchObject({ status: 'ready', tools: ['mcp_one_echo'] });
    expect(run.state()?.leftOut.at(-1)).toMatch(
      /^Of the MCP server one Castor read \d+ tools and no more: its list has more than 100 pages\.$/,
    );
  });

  it('follows a changed list', async () => {
    const changed = [{ name: 'other' }, { name: 'echo', description: 'New.' }];
    await using one = await mcpStdioCommand({
      ...ECHO,
      rules: [
        mcp.on('tools/call', [
          mcp.answer(),
          mcp.change({ tools: changed }),
          mcp.notify('notifications/tools/list_changed'),
          mcp.notify('notifications/tools/list_changed'),
        ]),
      ],
    });
    await using run = open({ one });
    await run.ready();
    const before = run.registry.getTool('mcp_one_echo')?.server?.fingerprint;
    await run.call();
    await run.until(() => run.registry.getTool('mcp_one_other') !== undefined);
    expect(run.registry.getTool('mcp_one_echo')).toMatchObject({ description: 'New.' });
    expect(run.registry.getTool('mcp_one_echo')?.server?.fingerprint).not.toBe(before);
  });

  it('leaves out and names a tool that cannot be offered, and keeps the rest', async () => {
    const tools = [
      { name: 'bad', inputSchema: { type: 'string' } },
      { name: 'deep', inputSchema: JSON.parse(`${'{"items":'.repeat(1_000)}{}${'}'.repeat(1_000)}`) as object },
      { name: 'a b' },
      { name: 'a_b' },
      { name: 'none', inputSchema: null },
      { name: 'hidden' },
      { name: '' },
      { name: 'task', extra: { execution: { taskSupport: 'required' } } },
      { name: 'maybe', extra: { execution: { taskSupport: 'optional' } } },
    ];
    await using one = await mcpStdioCommand({ tools });
    await using run = open({ one }, { more: { excludeTools: ['hidden'] } });
    await run.ready();
    expect(run.state()).toMatchObject({
      status: 'ready',
      tools: ['mcp_one_a_b', 'mcp_one_maybe', 'mcp_one_none'],
      leftOut: [
        'The tool bad of the MCP server one was left out: its arguments are not an object.',
        'The tool deep of the MCP server one was left out: its schema is nested more than 500 deep.',
        'The tool a_b of the MCP server one was left out: the server lists mcp_one_a_b twice.',
        'A tool of the MCP server one was left out: it has no name.',
        'The tool task of the MCP server one was left out: it can only be called as a task, which Castor does not support.',
      ],
    });
  });

  it('cannot take the name of a built-in tool or of another server', async () => {
    const builtin = defineTool({ name: 'mcp_one_echo', description: '', schema: {}, execute: () => 'builtin' });
    await using one = await mcpStdioCommand(ECHO);
    await using shadowed = open({ one }, { registry: new ToolRegistry([builtin]) });
    await shadowed.ready();
    expect(shadowed.state()?.leftOut).toEqual([
      'The tool echo of the MCP server one was left out: the name mcp_one_echo is taken.',
    ]);
    expect((await shadowed.call()).llmContent).toBe('builtin');

    await using git = await mcpStdioCommand({ tools: [{ name: 'hub_push' }] });
    await using hub = await mcpStdioCommand({ tools: [{ name: 'push' }] });
    await using both = open({ git, git_hub: hub });
    await both.ready();
    const leftOut = [both.state('git'), both.state('git_hub')].flatMap((state) => state?.leftOut ?? []);
    // In whichever order they connect, the same one has the name.
    expect(leftOut).toEqual([
      expect.stringMatching(
        /of the MCP server git was left out: .*mcp_git_hub_push is taken|mcp_git_hub_push of the MCP server git was left out/,
      ),
    ]);
  });

  it('passes on its own errors', async () => {
    await using one = await mcpStdioCommand({
      ...ECHO,
      rules: [mcp.on('tools/call', [mcp.failure(-32_602, 'No such thing')])],
    });
    await using run = open({ one });
    await run.ready();
    expect((await run.call()).error).toEqual({
      type: 'mcp_tool_error',
      message: "MCP tool 'echo' of the server 'one' failed:\n<untrusted_context>\nNo such thing\n</untrusted_context>",
    });
  });
});

/** What the user and the model meet; a call is made where the server is ready. */
const FAULTS: [StdioFaultName, error: RegExp][] = [
  ['crash_at_start', /^The server's process exited with code 1\.$/],
  ['silent', /^It was not ready within 400 ms\.$/],
  ['silent_initialize', /^It was not ready within 400 ms\.$/],
  ['silent_list', /^It was not ready within 400 ms\.$/],
  ['held_start', /^It was not ready within 400 ms\.$/],
  ['closed_stdout', /^It was not ready within 400 ms\.$/],
  ['crash_in_initialize', /^The server's process exited with code 1\.$/],
  ['crash_in_list', /^The server's process exited with code 1\.$/],
  ['unsupported_version', /^The server speaks the unsupported protocol version "1999-01-01"\.$/],
];

const CALL_FAULTS: [StdioFaultName, called: RegExp][] = [
  ['silent_call', /failed: The server did not answer tools\/call within 600000 ms\.$/],
  ['crash_in_call', /failed: The server's process exited with code 1\.$/],
  ['killed_in_call', /failed: The server's process ended by SIGKILL\.$/],
  ['half_answer_then_crash', /failed: The server's process exited with code 1\.$/],
  ['invalid_json', /failed: The server did not answer tools\/call within 600000 ms\.$/],
  ['invalid_result', /failed: The server's answer to tools\/call has neither a result nor an error\.$/],
  ['wrong_id', /failed: The server answered tools\/call with the id 987654 instead of \d+\.$/],
  ['null_id', /failed: The server answered tools\/call with the id null instead of \d+\.$/],
  ['endless_line', /failed: The server printed more than 1048576 bytes that are not messages to its stdout\.$/],
];

const HARMLESS: StdioFaultName[] = [
  ...(['noise_before_start', 'noise_between', 'noise_binary', 'json_noise', 'stderr_flood', 'pieces', 'crlf'] as const),
  ...(['huge_line', 'duplicate_answer', 'unknown_answer', 'unknown_method', 'grandchild', 'ignores_sigterm'] as const),
  ...(['stubborn_grandchild', 'crash_after_call'] as const),
];

describe('a fault at the start is one sentence and leaves no process', () => {
  variants.each(FAULTS)('%s', async (fault, error) => {
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, fault));
    const isLimit = error.source.includes('not ready');
    await using run = open({ one }, isLimit ? { more: { timeout: 400 } } : {});
    await run.ready();
    expect(run.state()).toMatchObject({ status: 'failed', lastError: expect.stringMatching(error) as string });
    expect(run.registry.list()).toEqual([]);
    await run.manager.dispose();
    await one.untilAlive((alive) => alive.length === 0);
  });

  it('shows the end of stderr', async () => {
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, 'crash_at_start'));
    await using run = open({ one });
    await run.ready();
    expect(run.state()?.stderr).toBe('no port');
  });

  it('names a program that does not exist', async () => {
    await using run = open({ one: { entry: { command: '/no/such/program' } } });
    await run.ready();
    expect(run.state()?.lastError).toBe(
      '"/no/such/program" could not be started: the program or its folder does not exist.',
    );
  });
});

describe('a fault in a call fails the call', () => {
  variants.each(CALL_FAULTS)('%s', async (fault, called) => {
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, fault));
    await using run = open({ one }, { clock: /within/.test(called.source) ? impatient : hasty });
    await run.ready();
    expect((await run.call()).error?.message).toMatch(called);
    await run.manager.dispose();
    await one.untilAlive((alive) => alive.length === 0);
  });
});

describe('a harmless fault changes nothing', () => {
  variants.each(HARMLESS)('%s', async (fault) => {
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, fault));
    await using run = open({ one });
    await run.ready();
    expect((await run.call({ a: 1 })).llmContent).toEqual(untrusted('{"a":1}'));
    await run.manager.dispose();
    await one.untilAlive((alive) => alive.length === 0);
  });
});

variants.each(['is switched off', 'ends with the program'])(
  'takes along what left its group when it %s',
  async (how) => {
    const shell = new ShellRunner({ environment: {}, tempDirectory: tmpdir() });
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, 'detached_grandchild'));
    await using run = open({ one }, { guard: shell.guard });
    await run.ready();
    await one.untilAlive((alive) => alive.length === 2);
    if (how === 'is switched off') {
      await run.manager.replace([], []);
      await one.untilAlive((alive) => alive.length === 0);
    }
    await run.manager.dispose();
    await shell.dispose();
    await one.untilAlive((alive) => alive.length === 0);
  },
);

describe('a server that dies', () => {
  it('is reconnected, and its tools stay', async () => {
    await using one = await mcpStdioCommand(mcp.withFault(ECHO, 'crash_in_first_call'));
    await using run = open({ one });
    await run.ready();
    expect((await run.call()).error?.message).toMatch(/exited with code 1/);
    expect(run.registry.getTool('mcp_one_echo')).toBeDefined();
    await run.until(() => run.state()?.status === 'ready' && run.state()?.attempts === 2);
    expect((await run.call({ b: 2 })).llmContent).toEqual(untrusted('{"b":2}'));
  });

  it('is given up after several attempts, and its tools go', { tags: 'wide' }, async () => {
    await using one = await mcpStdioCommand({
      ...ECHO,
      rules: [mcp.on('tools/call', [mcp.crash()]), mcp.on('start', [mcp.crash()], { start: [2, null] })],
    });
    await using run = open({ one });
    await run.ready();
    await run.call();
    await run.until(() => run.state()?.status === 'failed');
    expect(run.state()?.attempts).toBe(7);
    expect(run.registry.list()).toEqual([]);
    await run.manager.reconnect('one');
    expect(run.state()).toMatchObject({ status: 'failed', attempts: 8 });
  });
});

it('waits at most a limit and names who is late, while the others are ready', async () => {
  await using late = await mcpStdioCommand(mcp.withFault(ECHO, 'held_start'));
  await using one = await mcpStdioCommand(ECHO);
  await using run = open({ late, one });
  run.manager.start();
  await run.until(() => run.state('one')?.status === 'ready');
  expect(await run.manager.settle(1, NEVER)).toEqual(['late']);
  late.release('start');
  expect(await run.ready()).toEqual([]);
  expect(run.registry.list().map(({ name }) => name)).toEqual(['mcp_late_echo', 'mcp_one_echo']);
});

it('is told at its limit, however long its process takes to end', { tags: 'wide' }, async () => {
  const rules = [mcp.on('initialize', [mcp.gate('never')])];
  await using one = await mcpStdioCommand({ ...mcp.withFault(ECHO, 'ignores_sigterm'), rules });
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => (ms === GRACE ? mayEnd : systemClock.sleep(ms === START_LIMIT ? 0 : ms, signal)),
  };
  await using run = open({ one }, { clock });
  expect(await run.manager.settle(60_000, NEVER)).toEqual([]);
  expect(run.state()).toMatchObject({ status: 'failed', lastError: `It was not ready within ${START_LIMIT} ms.` });
  end();
});
