/** `castor mcp list`, `test` and `doctor` with servers that are processes. */

import { writeFile } from 'node:fs/promises';
import { mcp, mcpServer, mcpStdioCommand } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineVersion, openFolder, userServers } from './mcp.fixture.ts';

let undo = () => {};
beforeAll(() => void (undo = defineVersion()));
afterAll(() => undo());

describe('castor mcp list', () => {
  it('shows every state, with the reason and the end of stderr; no secret', async () => {
    await using good = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
    await using dying = await mcpStdioCommand({
      rules: [mcp.on('start', [mcp.stderr('no database\n'), mcp.crash({ code: 3 })])],
    });
    await using locked = await mcpServer({ oauth: {} });
    await using env = await openFolder(
      userServers(
        {
          a_good: good.entry,
          b_dying: dying.entry,
          c_locked: { url: `${locked.url}?api_key=very-secret-value` },
          d_blocked: { command: 'x' },
        },
        { mcp: { excluded: ['d_blocked'] } },
      ),
    );
    const { code, stdout } = await env.run('list', '--timeout', '60');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Configured MCP servers:\n\n✓ a_good: .* \(stdio\) - Connected \(\d+ ms, 1 tool\)\n/);
    expect(stdout).toMatch(/✗ b_dying: .* \(stdio\) - Disconnected\n {4}.*exited with code 3\.\n {4}\| no database\n/);
    expect(stdout).toMatch(
      /✗ c_locked: .* \(http\) - Disconnected\n {4}It requires a sign-in \(401\)\. To sign in: castor mcp login c_locked/,
    );
    expect(stdout).toContain('! d_blocked: blocked - Blocked');
    expect(stdout).not.toContain('very-secret-value');
    await good.untilAlive((alive) => alive.length === 0);
  });

  it('ends at its limit, and ends the server with what it started', { tags: 'wide' }, async () => {
    const daemon = mcp.grandchild({ isDetached: true, ignores: ['SIGTERM'] });
    await using slow = await mcpStdioCommand({
      rules: [
        mcp.on('initialize', [daemon, mcp.answer()], { start: 1 }),
        mcp.on('initialize', [daemon, mcp.gate('never')]),
      ],
    });
    await using env = await openFolder(userServers({ slow: slow.entry }));
    expect((await env.run('test', 'slow', '--timeout', '60')).stdout).toContain('slow: ready');
    expect(slow.readRecord().of('grandchild')).toHaveLength(1);
    await slow.untilAlive((alive) => alive.length === 0);
    const { stdout } = await env.run('list', '--timeout', '0.2');
    expect(stdout).toMatch(/▸ slow: .* - Connecting\n {4}It was not ready within 0\.2 s\./);
    await slow.untilAlive((alive) => alive.length === 0);
  });

  it('starts nothing of a folder that is not trusted', async () => {
    await using server = await mcpStdioCommand({});
    await using env = await openFolder({
      files: { '.gemini/settings.json': JSON.stringify({ mcpServers: { one: server.entry } }) },
    });
    const { stdout, stderr } = await env.run('list');
    expect(stdout).toContain('- one: untrusted - Disabled');
    const why = 'do not start, because the folder has no trust decision: one. To start them, trust the folder';
    expect(stderr).toContain(`MCP servers ${why}`);
    expect((await env.doctor('--offline')).stdout).toMatch(/-- +mcp +The MCP server one does not start, because/);
    expect(await env.run('test', 'one')).toMatchObject({
      code: 55,
      stderr: expect.stringMatching(/no trust decision.*--skip-trust/) as string,
    });
    expect(server.readRecord().starts).toBe(0);
  });

  it('is the consent to this entry in a trusted folder, and says so in another', { tags: 'wide' }, async () => {
    await using server = await mcpStdioCommand({ tools: [{ name: 'echo', description: 'x' }] });
    const { command, args } = server.entry;
    await using env = await openFolder();
    expect((await env.run('add', 'one', '--', command, ...args)).stderr).toContain('is not trusted');
    await env.trust();
    expect((await env.run('list')).stdout).toContain('- one');
    expect(await env.run('add', 'one', '--', command, ...args)).toMatchObject({ code: 0, stderr: '' });
    expect((await env.run('list')).stdout).toContain('✓ one');
  });
});

describe('castor mcp trust', () => {
  const inProject = (entry: object) =>
    JSON.stringify({ mcpServers: { one: entry, two: { url: 'http://127.0.0.1:1/' } } });

  it('is the consent to the entries as they are, all or some; a changed one needs it again', async () => {
    await using server = await mcpStdioCommand({ tools: [{ name: 'echo', description: 'x' }] });
    const entry = { ...server.entry, env: { MODE: 'x' } };
    await using env = await openFolder({ files: { '.gemini/settings.json': inProject(entry) } });
    expect(await env.run('trust')).toMatchObject({ code: 55, stdout: '' });
    await env.trust();
    expect(await env.run('trust', 'three')).toMatchObject({ code: 1, stderr: expect.stringContaining('one, two') });
    expect(await env.run('test', 'one')).toMatchObject({
      code: 55,
      stderr: expect.stringContaining('castor mcp trust'),
    });
    expect(server.readRecord().starts).toBe(0);

    const { code, stdout } = await env.run('trust', 'one');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`one (${server.entry.command}`)]);
    expect(stdout).toContain('; env MODE)');
    const listed = await env.run('list');
    expect([listed.stdout, listed.stderr]).toEqual([
      expect.stringMatching(/✓ one: [^]*- two: /),
      expect.stringContaining('do not start without your consent: two (http://127.0.0.1:1/) [new]. To start them'),
    ]);
    await env.run('trust');
    expect((await env.run('list')).stderr).toBe('');
    await writeFile(env.projectFile, inProject({ ...entry, env: { MODE: 'y' } }));
    expect((await env.run('list')).stderr).toContain('[changed]');
  });
});

describe('castor mcp test', () => {
  const SCRIPT = {
    instructions: 'Be kind.',
    tools: [
      {
        name: 'echo',
        description: 'Echoes.',
        inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      },
      { name: 'bare' },
      { name: 'fails', description: 'Fails.', result: { content: [mcp.text('no luck')], isError: true } },
    ],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
    resources: [{ uri: 'file:///a', name: 'a' }],
  };

  it('lists, calls and times as text and JSON, over stdio and HTTP', async () => {
    await using process_ = await mcpStdioCommand({
      ...SCRIPT,
      rules: [mcp.on('start', [mcp.raw('hello\n'), mcp.stderr('ready\n')])],
    } as never);
    await using remote = await mcpServer(SCRIPT as never);
    await using old = await mcpServer({ tools: [], http: { transports: ['sse'] } });
    const entries = { one: process_.entry, two: { url: remote.url }, three: { url: old.sseUrl } };
    await using env = await openFolder(userServers(entries));
    const { code, stdout } = await env.run('test', 'one', '--tool', 'echo', '--args', '{"n":7}', '--timeout', '60');
    expect(stdout).toMatch(/^✓ one: ready after \d+ ms \(stdio\)\n {2}server {5}scripted 1\.0\.0\n/);
    for (const part of [/start +\d+ ms/, /initialize +\d+ ms/, /tools\/list +\d+ ms/, /tools\/call +\d+ ms/])
      expect(stdout).toMatch(part);
    for (const part of [
      'echo - Echoes.',
      'greet <who>',
      'file:///a',
      '{"n":7}',
      '5 bytes to stdout that are not messages',
      'no description for the model: bare',
      'The end of stderr:\n  ready',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(code).toBe(0);
    expect((await env.run('test', 'two', '--strict', '--timeout', '60')).code).toBe(1);
    expect(JSON.parse((await env.run('list', '--json', '--timeout', '60')).stdout)).toMatchObject([
      { name: 'one', status: 'connected', tools: 3 },
      { name: 'three', status: 'connected', transport: 'sse' },
      { name: 'two', status: 'connected', transport: 'http' },
    ]);
    const json = await env.run('test', 'two', '--tool', 'fails', '-o', 'json', '--timeout', '60');
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      {
        server: 'two',
        ok: false,
        status: 'ready',
        transport: 'http',
        tools: [{ name: 'echo', callName: 'mcp_two_echo' }, { name: 'bare' }, { name: 'fails' }],
        call: { isError: true, result: { isError: true } },
        instructions: 'Be kind.',
      },
    ]);
  });

  it(
    'prints the error of a failed call first, without the listing, and SSE where it fell back to it',
    { tags: 'wide' },
    async () => {
      await using old = await mcpServer({ ...SCRIPT, http: { transports: ['sse'] } } as never);
      await using env = await openFolder(userServers({ old: { url: old.sseUrl } }));
      const failed = await env.run('test', 'old', '--tool', 'fails', '--timeout', '60');
      expect(failed).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(
          /^✓ old: ready after \d+ ms \(sse\)\n[^]*\nCall.*, failed:\n {2}MCP tool .fails. reported an error: no luck\nTimes /,
        ) as string,
      });
      expect(failed.stdout).not.toContain('Echoes.');
      const unknown = await env.run('test', 'old', '--tool', 'nope', '--timeout', '60');
      expect(unknown.stdout).toContain('offers no tool nope. It offers: bare, echo, fails.');
    },
  );

  it('lists the tools once, as a server that changes its list has them in the end', { tags: 'wide' }, async () => {
    const tools = Array.from({ length: 5 }, (_, index) => ({ name: `tool${index}`, description: 'x' }));
    await using one = await mcpStdioCommand({
      tools: [{ name: 'gone', description: 'x' }],
      pages: { size: 2 },
      rules: [
        mcp.on('tools/list', [mcp.notify('notifications/tools/list_changed'), mcp.answer(), mcp.change({ tools })], {
          nth: 1,
        }),
      ],
    });
    await using env = await openFolder(userServers({ one: one.entry }));
    const { stdout } = await env.run('test', 'one', '-o', 'json');
    const names = (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).toEqual(tools.map(({ name }) => name));
  });

  it('has an exit code for each failure', async () => {
    await using server = await mcpServer(SCRIPT as never);
    await using locked = await mcpServer({ oauth: {} });
    await using env = await openFolder(
      userServers({ one: { url: server.url }, locked: { url: locked.url }, gone: { command: 'does-not-exist-here' } }),
    );
    const cases: [string[], number, RegExp][] = [
      [['one', '--tool', 'nope'], 42, /offers no tool nope/],
      [['one', '--tool', 'echo', '--args', '{"n":"x"}'], 42, /do not fit the schema of echo/],
      [['one', '--tool', 'echo', '--args', '{'], 42, /--args is not valid JSON/],
      [['one', '--tool', 'echo', '--args', '[]'], 42, /must be a JSON object/],
      [['one', '--args', '{}'], 42, /--args needs --tool/],
      [['locked'], 41, /requires a sign-in \(401\).*castor mcp login locked/],
      [['gone'], 1, /could not be started/],
      [['missing'], 1, /there is no MCP server missing here/],
      [['one', '--timeout', 'x'], 1, /--timeout must be a number of seconds/],
    ];
    for (const [args, code, message] of cases) {
      const { code: found, stdout, stderr } = await env.run('test', ...args);
      expect([args, found, stdout + stderr]).toEqual([args, code, expect.stringMatching(message)]);
    }
  });

  it('fails for a tool that no model can use, and names it', { tags: 'wide' }, async () => {
    await using server = await mcpServer({ tools: [{ name: 'bad', inputSchema: { type: 'string' } as never }] });
    await using env = await openFolder(userServers({ one: { url: server.url } }));
    const { code, stdout } = await env.run('test', 'one');
    expect([code, stdout]).toEqual([1, expect.stringContaining('The tool bad of the MCP server one was left out')]);
  });
});

describe('castor doctor', () => {
  it('shows MCP servers: state, error, stderr, time and sign-in; offline it starts none', async () => {
    await using good = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
    await using dying = await mcpStdioCommand({
      rules: [mcp.on('start', [mcp.stderr('boom\n'), mcp.crash({ code: 4 })])],
    });
    await using env = await openFolder(userServers({ a: good.entry, b: dying.entry }), {
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
    const offline = JSON.parse((await env.doctor('--json', '--offline')).stdout) as {
      checks: { topic: string; says: string }[];
    };
    expect(offline.checks.filter(({ topic }) => topic === 'mcp')).toMatchObject([
      { says: 'a, b: not started (--offline)' },
    ]);
    expect(good.readRecord().starts).toBe(0);
    const { checkMcpServers } = await import('./doctor-mcp.ts');
    const { findServers } = await import('./find-servers.ts');
    const { project: cwd, home } = env.workspace;
    const context = {
      output: { answer: async () => {}, note: () => {} },
      cwd,
      home,
      environment: { PATH: process.env['PATH'] },
    };
    const checks = await checkMcpServers((await findServers(context)).loaded, context, { isOffline: false });
    expect(checks).toEqual([
      { topic: 'mcp', status: 'ok', says: expect.stringMatching(/^a \(stdio\): ready in \d+ ms, 1 tool$/) as string },
      {
        topic: 'mcp',
        status: 'problem',
        says: expect.stringMatching(/^b \(stdio\): .*exited with code 4\.\n\| boom$/) as string,
        fix: expect.stringContaining('castor mcp test b') as string,
      },
    ]);
    await good.untilAlive((alive) => alive.length === 0);
  });
});
