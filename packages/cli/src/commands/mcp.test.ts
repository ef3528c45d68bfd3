/** `castor mcp …` over real files and HTTP. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mcpServer } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineVersion, openFolder, userServers } from './mcp.fixture.ts';
import { runMcpCommand } from './mcp.ts';

let undo = () => {};
beforeAll(() => void (undo = defineVersion()));
afterAll(() => undo());

describe('castor mcp add', () => {
  it.each<[string, string[], object]>([
    ['a program', ['one', 'npx', '-y', 'server', '.'], { command: 'npx', args: ['-y', 'server', '.'] }],
    [
      'arguments after --',
      ['one', 'npx', '--', '-t', 'x', '--trust'],
      { command: 'npx', args: ['-t', 'x', '--trust'] },
    ],
    ['a variable with a second =', ['-e', 'A=b=c', '-eD=1', 'one', 'x'], { command: 'x', env: { A: 'b=c', D: '1' } }],
    [
      'a url with headers',
      ['-t', 'http', '-H', 'X-Key: a:b', '--header=Y: z', 'one', 'https://a.example/mcp'],
      { url: 'https://a.example/mcp', type: 'http', headers: { 'X-Key': 'a:b', Y: 'z' } },
    ],
    ['a url alone', ['one', 'https://a.example/mcp'], { url: 'https://a.example/mcp', type: 'http' }],
    ['SSE', ['--transport', 'sse', 'one', 'https://a.example/sse'], { url: 'https://a.example/sse', type: 'sse' }],
    [
      'every option',
      [
        'one',
        'x',
        '--timeout',
        '5000',
        '--trust',
        '--description',
        'mine',
        '--include-tools',
        'a,b',
        'c',
        '--exclude-tools=d',
      ],
      {
        command: 'x',
        timeout: 5000,
        trust: true,
        description: 'mine',
        includeTools: ['a', 'b', 'c'],
        excludeTools: ['d'],
      },
    ],
    ['an unknown option', ['one', 'x', '--port', '8'], { command: 'x', args: ['--port', '8'] }],
  ])('writes %s', async (_name, args, entry) => {
    await using env = await openFolder();
    const { code, stdout } = await env.run('add', ...args);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^MCP server "one" added to project settings\. \((stdio|http|sse)\)\n$/),
    ]);
    expect(env.readProject().mcpServers['one']).toEqual(entry);
  });

  it('keeps comments and format, says that the server was there, and writes the user file', async () => {
    const text = `{\n    // mine\n    "ui": { "theme": "x" }, /* keep */\n    "mcpServers": {\n        "one": { "command": "old" }\n    }\n}\n`;
    await using env = await openFolder({ homeFiles: { '.gemini/settings.json': text } });
    expect((await env.run('add', '-s', 'user', 'one', 'new', 'arg')).stdout).toBe(
      'MCP server "one" is already configured within user settings.\nMCP server "one" updated in user settings.\n',
    );
    await env.run('add', '--scope', 'user', 'two', 'x');
    const after = readFileSync(env.userFile, 'utf8');
    expect(after).toContain('// mine\n    "ui": { "theme": "x" }, /* keep */');
    expect(after).toMatch(/^ {8}"two": \{/m);
    await env.run('remove', '-s', 'user', 'two');
    expect(readFileSync(env.userFile, 'utf8')).not.toContain('two');
    expect(existsSync(env.projectFile)).toBe(false);
  });

  it.each<[string, string[], RegExp]>([
    ['no name', [], /name of the server is missing/],
    ['no command', ['one'], /command or the url of the server is missing/],
    ['another scope', ['-s', 'world', 'one', 'x'], /--scope must be user or project, not "world"/],
    ['another transport', ['-t', 'tcp', 'one', 'x'], /must be stdio, sse or http/],
    ['no url', ['-t', 'http', 'one', 'x'], /needs a url/],
    ['a url as a command', ['-t', 'stdio', 'one', 'http://a'], /is a url; -t stdio needs a command/],
    ['a variable without a value', ['-e', 'SECRET', 'one', 'x'], /^-e needs KEY=value\./],
    ['a header without a name', ['-H', 'secret', 'one', 'http://a'], /^-H needs "Name: value"\./],
    ['no number', ['--timeout', 'soon', 'one', 'x'], /number of milliseconds/],
    ['no value', ['one', 'x', '--description'], /--description needs a value/],
    ['arguments of a url', ['one', 'http://a', 'b'], /has no arguments: b/],
  ])('refuses %s and writes nothing', async (_name, args, message) => {
    await using env = await openFolder();
    const { code, stderr } = await env.run('add', ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(existsSync(env.projectFile)).toBe(false);
  });

  it('refuses the project of the home directory, and a broken file', async () => {
    await using env = await openFolder({ homeFiles: { '.gemini/settings.json': '{ "a": ' } });
    const { project, home } = env.workspace;
    const output = { answer: async () => {}, note: () => {} };
    await expect(runMcpCommand(['add', 'one', 'x'], { output, cwd: home, home, environment: {} })).rejects.toThrow(
      'Please use --scope user to edit settings in the home directory.',
    );
    expect(await env.run('add', '-s', 'user', 'one', 'x')).toMatchObject({ code: 52 });
    expect(readFileSync(env.userFile, 'utf8')).toBe('{ "a": ');
    expect(project).not.toBe(home);
  });
});

describe('castor mcp remove, enable, disable', () => {
  it('removes, and says what is not there', async () => {
    await using env = await openFolder();
    await env.run('add', 'one', 'x');
    expect(await env.run('remove', 'one')).toMatchObject({
      code: 0,
      stdout: 'Server "one" removed from project settings.\n',
    });
    expect(await env.run('remove', 'one')).toMatchObject({
      code: 1,
      stderr: 'castor: Server "one" not found in project settings.\n',
    });
    await env.run('add', '-s', 'user', 'two', 'x');
    expect(await env.run('remove', 'two')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It is in user settings: castor mcp remove -s user two') as string,
    });
  });

  it("switches a server in Gemini CLI's file, whatever the letter case", async () => {
    await using env = await openFolder(userServers({ One: { command: 'does-not-exist-here' } }));
    const file = join(env.workspace.home, '.gemini', 'mcp-server-enablement.json');
    expect(await env.run('disable', 'one')).toMatchObject({ code: 0, stdout: "✓ MCP server 'One' disabled.\n" });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ one: { enabled: false } });
    expect((await env.run('list')).stdout).toContain('- One: disabled - Disabled');
    expect(await env.run('enable', 'One')).toMatchObject({ code: 0, stdout: "✓ MCP server 'One' enabled.\n" });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({});
    expect(await env.run('disable', 'two')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Server 'two' not found") as string,
    });
    expect((await env.run('disable', 'one', '--session')).stderr).toContain('/mcp disable one --session');
  });

  it('switches a server of a folder that is not trusted', async () => {
    await using env = await openFolder();
    await env.run('add', 'here', 'x');
    expect(await env.run('disable', 'here')).toMatchObject({ code: 0, stdout: "✓ MCP server 'here' disabled.\n" });
  });

  it('says when a list still blocks an enabled server', async () => {
    await using env = await openFolder(userServers({ one: { command: 'x' } }, { mcp: { excluded: ['one'] } }));
    expect((await env.run('enable', 'one')).stderr).toContain('mcp.excluded names it');
  });
});

describe('castor mcp login and logout', () => {
  it('prints the address, stores the tokens, lists the sign-in and deletes it', async () => {
    await using server = await mcpServer({ tools: [{ name: 'echo' }], oauth: {} });
    await using env = await openFolder(userServers({ one: { url: server.url } }), {
      GEMINI_FORCE_FILE_STORAGE: 'true',
    });
    const visit = (text: string) => {
      const [url] = /http\S+authorize\S+/.exec(text) ?? [];
      if (url !== undefined) void fetch(url);
    };
    const login = await env.runWith(visit, 'login', 'one');
    expect(login).toMatchObject({ code: 0, stdout: '✓ one: signed in, in a file.\n' });
    const tokens = [...server.oauth.accessTokens, ...server.oauth.refreshTokens];
    for (const token of tokens) expect(login.stdout + login.stderr).not.toContain(token);
    const list = await env.run('list', '--timeout', '60');
    expect(list.stdout).toMatch(/✓ one: .* - Connected .*\n {4}signed in, in a file\n/);
    expect(await env.run('logout', 'one')).toMatchObject({ code: 0, stdout: 'The tokens of one are deleted.\n' });
    expect(await env.run('logout', 'one')).toMatchObject({ code: 0, stdout: 'No tokens of one are stored.\n' });
    expect(server.oauth.accessTokens.size).toBe(0);
  });

  it.each<[string, object, string[], number, RegExp]>([
    ['an unknown server', {}, ['nope'], 1, /there is no MCP server nope here/],
    ['a process', { one: { command: 'x' } }, ['one'], 41, /signing in to one failed\. .*process on this machine/],
    ['plain http', { one: { url: 'http://mcp.example/' } }, ['one'], 41, /over https only/],
    ['two names', {}, ['a', 'b'], 1, /needs the name of one server/],
    ['an unknown option', {}, ['one', '--fast'], 1, /--fast is an unknown option of castor mcp login/],
  ])('refuses %s', async (_name, servers, args, code, message) => {
    await using env = await openFolder(userServers(servers));
    expect(await env.run('login', ...args)).toMatchObject({ code, stderr: expect.stringMatching(message) as string });
  });

  it('does not wait for a user in CI', async () => {
    await using env = await openFolder(userServers({ one: { url: 'https://mcp.example/' } }), { CI: 'true' });
    expect(await env.run('login', 'one')).toMatchObject({
      code: 41,
      stderr: expect.stringContaining('in CI') as string,
    });
  });

  it('deletes the tokens of a server that is no longer configured', async () => {
    const tokens = [{ serverName: 'gone', token: { accessToken: 'a-long-token' }, updatedAt: 1 }];
    await using env = await openFolder({ homeFiles: { '.gemini/mcp-oauth-tokens.json': JSON.stringify(tokens) } });
    expect((await env.run('logout', 'gone')).stdout).toBe('The tokens of gone are deleted.\n');
    expect(existsSync(join(env.workspace.home, '.gemini', 'mcp-oauth-tokens.json'))).toBe(false);
  });
});

describe('castor mcp', () => {
  it('says what is wrong in the settings, by line', async () => {
    const settings = { mcp: { alowed: [] }, mcpServers: { a: { url: 'http://127.0.0.1:1/', timeout: '5' } } };
    await using env = await openFolder({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings, null, 1) } });
    const { stderr } = await env.run('list');
    expect(stderr).toMatch(/line 8: mcpServers\.a\.timeout: .*got "5"\. Castor uses 5\.$/m);
    expect(stderr).toMatch(
      /settings\.json:3: mcp\.alowed is unknown and has no effect\. Did you mean mcp\.allowed\?$/m,
    );
  });

  it('has nothing to list', async () => {
    await using env = await openFolder();
    expect(await env.run('list')).toEqual({ code: 0, stdout: 'No MCP servers configured.\n', stderr: '' });
  });

  it('has help for each command, and a hint for a typo', async () => {
    await using env = await openFolder();
    expect(await env.run()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Usage: castor mcp <command>') as string,
    });
    for (const name of ['add', 'remove', 'list', 'enable', 'disable', 'login', 'logout', 'test']) {
      const { code, stdout } = await env.run(name, '--help');
      expect([code, stdout]).toEqual([0, expect.stringMatching(`^Usage: castor mcp ${name} `)]);
    }
    expect(await env.run('lst')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean list?') as string,
    });
  });
});
