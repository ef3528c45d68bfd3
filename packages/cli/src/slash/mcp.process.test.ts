/** `/mcp` and the prompts of servers as commands, over real HTTP. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mcp, mcpServer } from '@castor/testkit';
import type { McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import type { FoundCommand } from './command.ts';
import { openCommands } from './index.ts';

const NEVER = new AbortController().signal;

interface OpenOptions {
  entries?: Record<string, object>;
  homeFiles?: Record<string, string>;
  isAttended?: boolean;
  environment?: Record<string, string | undefined>;
}

/** A server for each script, by name, and an agent with them. */
async function open(
  scripts: Record<string, McpScript>,
  { entries = {}, homeFiles = {}, isAttended = true, environment }: OpenOptions = {},
) {
  const named = await Promise.all(
    Object.entries(scripts).map(async ([name, script]) => [name, await mcpServer(script)] as const),
  );
  const servers = {
    ...Object.fromEntries(named.map(([name, server]) => [name, { httpUrl: server.url, ...entries[name] }])),
    ...Object.fromEntries(Object.entries(entries).filter(([name]) => !(name in scripts))),
  };
  const fixture = await openPromptFixture({
    homeFiles,
    agent: {
      ...(environment && { environment }),
      interactive: true,
      mcp: { layers: [{ source: 'user', servers, written: servers }], toolBudget: 8_192 },
    },
    dependencies: { isAttended, hasScreen: isAttended },
  });
  const { agent, context } = fixture;
  await agent.servers!.settle(NEVER);
  const commands = await openCommands(agent.sources, () => agent.servers);
  return {
    ...fixture,
    servers: Object.fromEntries(named),
    commands,
    async run(text: string): Promise<string> {
      const found = commands.find(text) as FoundCommand;
      const result = await found.command.run!({ ...context, commands }, found.args);
      return result.type === 'message' ? result.content : JSON.stringify(result);
    },
    read: (text: string) => readPrompt(text, context),
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await Promise.all(named.map(([, server]) => server[Symbol.asyncDispose]()));
    },
  };
}

const DOCS: McpScript = {
  tools: [
    {
      name: 'find',
      description: 'Finds a page.',
      inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    },
  ],
  prompts: [
    {
      name: 'review',
      description: 'Reviews.',
      arguments: [{ name: 'file', description: 'Which one', required: true }],
      completions: { file: ['a.ts', 'b "c".ts'] },
    },
  ],
  resources: Array.from({ length: 12 }, (_, index) => ({
    uri: `doc://${index}`,
    name: `Page ${index}`,
    text: `text ${index}`,
  })),
};

describe('/mcp', () => {
  it('shows state, time, tools, prompts and resources', async () => {
    await using run = await open({ docs: DOCS });
    const page = await run.run('/mcp list');
    expect(page.replace(/in [\d.]+ m?s/, 'in 5 ms')).toBe(
      [
        'Configured MCP servers:',
        '',
        '✓ docs - Ready (1 tool, 1 prompt, 12 resources)',
        '  Connected in 5 ms',
        '  Tools:',
        '  - mcp_docs_find',
        '  Prompts:',
        '  - /review --file=…',
        '  Resources:',
        ...Array.from({ length: 10 }, (_, index) => `  - Page ${index} (@docs:doc://${index})`),
        '  ... 2 resources hidden',
      ].join('\n'),
    );
  });

  it('alone has a row a server, with what it offers or what leads on', async () => {
    const rules = [mcp.on('initialize', [mcp.failure(-1, 'not yet')])];
    const homeFiles = { '.gemini/mcp-server-enablement.json': '{"off":{"enabled":false}}' };
    await using run = await open({ docs: DOCS, late: { rules } }, { entries: { off: { command: 'x' } }, homeFiles });
    const page = await run.run('/mcp');
    expect(page.replace(/· [\d.]+ m?s/, '· 5 ms').split('\n')).toEqual([
      'MCP',
      '  ✓ docs  1 tool, 1 prompt, 12 resources · 5 ms',
      '  ✗ late  not yet',
      '  - off   off here: /mcp enable off',
      '  /mcp list names their tools · /mcp <name> tells all about one',
    ]);
  });

  it.each([
    ['/mcp desc', 'Finds a page.', '"type": "object"'],
    ['/mcp description docs', 'Finds a page.', '"type": "object"'],
  ])('%s shows descriptions', async (text, shown, hidden) => {
    await using run = await open({ docs: DOCS }, { entries: { docs: { description: 'My docs' } } });
    const page = await run.run(text);
    expect([page.includes(shown), page.includes('My docs'), page.includes(hidden)]).toEqual([true, true, false]);
  });

  it('schema shows the schemas, and the log', async () => {
    await using run = await open({ docs: DOCS });
    await run.servers['docs']!.play([
      mcp.notify('notifications/message', { level: 'error', data: 'disk \u001B[2Jfull' }),
    ]);
    while (run.agent.servers!.states[0]!.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const page = await run.run('/mcp schema');
    expect(page).toContain('      Parameters:\n      {\n        "type": "object"');
    expect(page).toContain('  Log:\n    error disk full');
  });

  it('shows why a server does not run, and filters by name', async () => {
    await using run = await open(
      { docs: DOCS },
      {
        entries: { gone: { command: '/no/such/program' }, odd: { httpUrl: 'nope' }, off: { command: 'x' } },
        environment: { PATH: process.env['PATH'], MY_TOKEN: 'x' },
        homeFiles: { '.gemini/mcp-server-enablement.json': '{"off":{"enabled":false}}' },
      },
    );
    const page = await run.run('/mcp ls');
    expect(page).toContain('✗ gone - Disconnected\n  Error: "/no/such/program" could not be started');
    expect(page).toContain('  Not passed on, as they look like secrets: MY_TOKEN. Pass one with "env"');
    expect(page).toContain('✗ odd - Not started\n  Error: The MCP server odd has an invalid url');
    expect(page).toMatch(/- off - Disabled$/m);
    expect(page).not.toContain('off is disabled');
    expect(await run.run('/mcp GON')).not.toContain('docs');
    expect(await run.run('/mcp zzz')).toBe('No MCP server\'s name contains "zzz".');
  });

  it('shows what the search for tools saves', async () => {
    await using run = await open({ many: { tools: mcp.manyTools(100) } });
    expect(await run.run('/mcp')).toMatch(
      /Tool search: 100 tools are announced by name, 0 are loaded\. All declarations take [\d,]+ bytes \(≈ [\d,]+ tokens\), each request carries [\d,]+ bytes/,
    );
    expect(await run.run('/mcp list')).toContain('  ... 70 tools hidden; /mcp desc shows all');
  });

  it('disables and enables, in the session or for good', async () => {
    await using run = await open({ docs: DOCS });
    const file = join(run.home, '.gemini', 'mcp-server-enablement.json');
    expect(await run.run('/mcp disable DOCS --session')).toBe("MCP server 'docs' disabled for this session.");
    expect([run.agent.tools.getTool('mcp_docs_find'), run.commands.find('/review x')]).toEqual([undefined, undefined]);
    expect(await run.run('/mcp enable docs --session')).toBe("MCP server 'docs' enabled for this session.");
    expect(run.agent.tools.getTool('mcp_docs_find')).toBeDefined();
    expect(await run.run('/mcp disable docs')).toBe("MCP server 'docs' disabled.");
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ docs: { enabled: false } });
    expect(await run.run('/mcp list')).toContain('- docs - Disabled');
    expect(await run.run('/mcp enable docs')).toBe("MCP server 'docs' enabled.");
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({});
  });

  it('names what is missing or unknown', async () => {
    await using run = await open({ docs: DOCS });
    expect(await run.commands.find('/mcp auth')?.command.names?.(run)).toEqual(['docs']);
    expect(await run.run('/mcp enable')).toBe('Server name required. Usage: /mcp enable <server-name> [--session]');
    for (const text of ['/mcp disable nope', '/mcp reload nope', '/mcp auth nope']) {
      expect(await run.run(text)).toBe("Server 'nope' not found. Use /mcp list to see available servers.");
    }
  });

  it('connects again, and the tools of a server that failed come', async () => {
    const rules = [mcp.on('initialize', [mcp.failure(-1, 'not yet')], { nth: 1 })];
    await using run = await open({ docs: { ...DOCS, rules } });
    expect(await run.run('/mcp list')).toContain('✗ docs - Disconnected\n  Error: not yet');
    expect(await run.run('/mcp reload docs')).toContain('✓ docs - Ready');
    expect(await run.run('/mcp refresh')).toContain('✓ docs - Ready');
  });

  it('tells servers of a folder that /directory adds', async () => {
    await using run = await open({ docs: DOCS });
    await run.run(`/directory add ${run.home}`);
    const { record } = run.servers['docs']!;
    await record.until(() => record.received('notifications/roots/list_changed').length === 1);
  });

  it('lists sign-ins', async () => {
    await using run = await open({ docs: DOCS });
    expect(await run.run('/mcp auth')).toMatch(/^MCP servers with OAuth authentication:\n {2}- docs: signed out/);
  });
});

describe('prompts of servers', () => {
  it('are commands, unless another command has the name', async () => {
    const prompt = (...names: string[]) => ({ prompts: names.map((name) => ({ name })) });
    await using run = await open(
      { a: prompt('help', 'mine', 'same', 'two words'), b: prompt('same', 'own') },
      { homeFiles: { '.gemini/commands/own.toml': 'prompt = "x"' } },
    );
    const names = run.commands.all.flatMap(({ name, source }) =>
      source !== 'builtin' && source.kind === 'server' ? [[name, source.name]] : [],
    );
    expect(names).toEqual([
      ['a.help', 'a'],
      ['mine', 'a'],
      ['same', 'a'],
      ['two-words', 'a'],
      ['b_same', 'b'],
      ['b.own', 'b'],
    ]);
  });

  it('send what the server answers, and name a missing argument', async () => {
    await using run = await open({ docs: DOCS });
    expect(await run.read('/review "my file.ts"')).toEqual({
      kind: 'prompt',
      parts: [
        { text: '<server_prompt server="docs" name="review">\nreview {"file":"my file.ts"}\n\n</server_prompt>' },
      ],
      displayText: '/review "my file.ts"',
      notes: [],
    });
    expect(await run.read('/review')).toEqual({
      kind: 'error',
      message: '/review was not sent: Missing required argument(s): --file',
    });
    expect(await run.run('/review help')).toContain('  --file  Which one (required)');
  });

  it('name their arguments in the order of values without names, and forge no line', async () => {
    const declared = [{ name: 'style\n✓ evil - Ready' }, { name: 'file', required: true }];
    await using run = await open({ docs: { prompts: [{ name: 'check\n✓ evil - Ready', arguments: declared }] } });
    const page = await run.run('/mcp list');
    expect(page).toContain('  - /check-✓-evil---Ready --file=… [--style⏎✓ evil - Ready=…]');
    const help = await run.run('/check-✓-evil---Ready help');
    expect(help).toMatch(/in this order:\n {2}--file {2}\(required\)\n {2}--style⏎✓ evil - Ready {2}\(optional\)$/);
  });

  it('run without a terminal, also while the server connects', async () => {
    const rules = [mcp.on('initialize', [mcp.gate('slow'), mcp.answer()])];
    const server = await mcpServer({ ...DOCS, rules });
    const servers = { docs: { httpUrl: server.url } };
    await using fixture = await openPromptFixture({
      agent: { mcp: { layers: [{ source: 'user', servers, written: servers }] } },
    });
    const reading = readPrompt('/review x', fixture.context);
    await server.record.reached('slow');
    server.release('slow');
    expect(await reading).toMatchObject({ kind: 'prompt', displayText: '/review x' });
    await server[Symbol.asyncDispose]();
  });

  it('complete names that are not used, and values of the server', async () => {
    await using run = await open({ docs: DOCS });
    const { command } = run.commands.find('/review x')!;
    const complete = (partial: string, before = '') => command.complete!(partial, NEVER, before);
    expect(await complete('')).toEqual(['--file="']);
    expect(await complete('--f', '--other=1')).toEqual(['--file="']);
    expect(await complete('', '--file="x"')).toEqual([]);
    expect(await complete('--file="')).toEqual(['--file="a.ts" ', String.raw`--file="b \"c\".ts" `]);
    expect(await complete('--file=a')).toEqual(['--file="a.ts" ']);
  });
});

describe('@server:uri', () => {
  const frame = (name: string, text: string) => [
    { text: '\n--- Content from referenced files ---' },
    { text: `\nContent from @${name}:\n` },
    { text: `<untrusted_context>\n${text}\n</untrusted_context>` },
    { text: '\n--- End of content ---' },
  ];
  const SCRIPT: McpScript = {
    resources: [
      { uri: 'doc://1', text: 'one' },
      { uri: 'doc://1?a=1,2;b=(3)', text: 'query' },
      { uri: 'doc://with blank', text: 'blank' },
    ],
    templates: [{ uriTemplate: 'db://users/{id}', name: 'users', text: 'user {{uri}}' }],
  };

  it.each<[string, string, string]>([
    ['Read @docs:doc://1', 'docs:doc://1', 'one'],
    ['Read @docs:doc://1, please', 'docs:doc://1', 'one'],
    ['Read (@docs:doc://1).', 'docs:doc://1', 'one'],
    ['@docs:doc://1?a=1,2;b=(3)', 'docs:doc://1?a=1,2;b=(3)', 'query'],
    ['@"docs:doc://with blank" is it', 'docs:doc://with blank', 'blank'],
    ['Who is @docs:db://users/7?', 'docs:db://users/7', 'user db://users/7'],
  ])('%s', async (text, name, content) => {
    await using run = await open({ docs: SCRIPT });
    const { parts } = (await run.read(text)) as { parts: unknown[] };
    expect(parts).toEqual([{ text }, ...frame(name, content)]);
  });

  it('stands beside files, is read once, and stays text when it is unknown', async () => {
    await using run = await open({ docs: SCRIPT });
    await run.write('a.txt', 'file');
    const { parts, notes } = (await run.read('@a.txt @docs:doc://1 @docs:doc://1 @docs:doc://9 @other:x')) as {
      parts: { text: string }[];
      notes: string[];
    };
    const text = parts.map((part) => part.text).join('');
    expect(text.match(/Content from @docs:doc:\/\/1:/g)).toHaveLength(1);
    expect(text).toContain('Content from @a.txt:');
    expect(text).not.toContain('doc://9:\n');
    expect(notes).toEqual(['@docs:doc://9 stays text: the MCP server docs lists no such resource.']);
    expect(run.servers['docs']!.record.received('resources/read')).toHaveLength(1);
  });

  it('that cannot be read stops the prompt', async () => {
    const rules = [mcp.on('resources/read', [mcp.failure(-1, 'gone')])];
    await using run = await open({ docs: { ...SCRIPT, rules } });
    expect(await run.read('@docs:doc://1')).toEqual({
      kind: 'error',
      message: 'what is referenced with @ is not readable: The MCP server docs failed: gone',
    });
  });
});
