import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ImportResult } from './import/carry-out.ts';
import { runImportCommand } from './import.ts';
import { runPolicyCommand } from './policy.ts';

type Files = Awaited<ReturnType<typeof createWorkspace>>;

async function run({ home, project }: Files, ...argv: string[]) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const output = {
    answer: async (text: string) => void stdout.push(text),
    note: (text: string) => void stderr.push(text),
  };
  const code = await runImportCommand(argv, { output, cwd: project, home, environment: {} });
  return { code, stdout: stdout.join(''), stderr: stderr.join('\n') };
}

async function report(files: Files, ...argv: string[]) {
  const { stdout } = await run(files, ...argv, '-o', 'json');
  const scopes = JSON.parse(stdout) as { scope: string; results: ImportResult[] }[];
  return Object.fromEntries(scopes.flatMap(({ results }) => results.map((one) => [one.what, one.status])));
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
const SECRET = 'ghp_0123456789012345678901234567890123456';

const CLAUDE = {
  '.claude.json': JSON.stringify({
    mcpServers: {
      github: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'gh-mcp', '--api-key', 'abc'],
        env: { GITHUB_TOKEN: SECRET, MODE: 'fast' },
      },
      web: { type: 'http', url: 'https://mcp.example.org', headers: { Authorization: `Bearer ${SECRET}` } },
      old: { type: 'sse', url: 'https://old.example.org/sse' },
      bad: { type: 'http', url: 'https://mcp.example.org/?token=abc' },
    },
  }),
  '.claude/settings.json': JSON.stringify({
    model: 'claude-opus-5',
    env: { MY_SECRET: 'very secret' },
    permissions: {
      allow: ['Bash(npm test:*)', 'Read(./src/**)'],
      deny: ['Bash(rm -rf:*)', 'mcp__db__drop'],
      ask: ['Bash(git push:*)'],
      defaultMode: 'acceptEdits',
    },
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'guard.sh' }] }] },
    statusLine: { type: 'command', command: 'x' },
  }),
  '.claude/CLAUDE.md': 'Use tabs.',
  '.claude/commands/git/tag.md':
    '---\ndescription: Tags\nallowed-tools: Bash\n---\nTag $ARGUMENTS with !`git log -1` and @docs/tag.md',
  '.claude/commands/pr.md': 'Review $1',
  '.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Fills.\n---\nBody',
  '.claude/agents/checker.md':
    '---\nname: Checker\ndescription: "Checks: all"\ntools: Read, Bash, NotebookEdit\ncolor: red\n---\nYou check.',
};

describe('castor import --from claude', () => {
  it('takes over what maps, reports the rest line by line, and copies no secret', async () => {
    await using files = await createWorkspace({ homeFiles: CLAUDE });
    const { code, stdout } = await run(files, '--from', 'claude', '--user');
    expect(code).toBe(0);
    const settings = readFileSync(join(files.home, '.gemini/settings.json'), 'utf8');
    expect(JSON.parse(settings)).toEqual({
      mcpServers: {
        github: {
          command: 'npx',
          args: ['-y', 'gh-mcp', '--api-key', '${GITHUB_API_KEY}'],
          env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', MODE: 'fast' },
        },
        web: { httpUrl: 'https://mcp.example.org', headers: { Authorization: 'Bearer ${WEB_AUTHORIZATION}' } },
        old: { url: 'https://old.example.org/sse', type: 'sse' },
      },
      castor: { model: 'anthropic/claude-opus-5' },
      tools: { allowed: ['run_shell_command(npm test)'], exclude: ['run_shell_command(rm -rf)', 'mcp_db_drop'] },
      general: { defaultApprovalMode: 'auto_edit' },
      hooks: { BeforeTool: [{ matcher: '^run_shell_command$', hooks: [{ type: 'command', command: 'guard.sh' }] }] },
    });
    expect(settings + stdout).not.toMatch(/ghp_|very secret|abc/);
    const gemini = (path: string) => readFileSync(join(files.home, '.gemini', path), 'utf8');
    expect(gemini('GEMINI.md')).toBe('Use tabs.');
    expect(gemini('commands/git/tag.toml')).toBe(
      `description = "Tags"\nprompt = '''\nTag {{args}} with !{git log -1} and @{docs/tag.md}\n'''\n`,
    );
    expect(gemini('agents/checker.md')).toBe(
      '---\nname: checker\ndescription: "Checks: all"\ntools:\n  - read_file\n  - run_shell_command\n---\n\nYou check.\n',
    );
    expect(gemini('skills/pdf/SKILL.md')).toContain('Body');
    for (const line of [
      'set the variable GITHUB_TOKEN: its value was not copied.',
      'no counterpart MCP server bad: its address contains a secret.',
      'no counterpart setting statusLine: castor.statusLine takes a command too, and tells it other fields: docs/keys.md.',
      'no counterpart variable MY_SECRET: values of variables are not copied.',
      'no counterpart permission Read(./src/**): Castor has no such rule.',
      'no counterpart command pr.md: it uses $1.',
      'no such tools here: NotebookEdit',
      'left out: color',
      'allowed-tools was left out.',
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).toMatch(/\n\d+ written, 0 already there, 0 kept as they are, \d+ things not taken over\.\n$/);
  });

  it('with --dry-run writes nothing, and a second run changes nothing', async () => {
    await using files = await createWorkspace({ homeFiles: CLAUDE });
    const dry = await report(files, '--from', 'claude', '--dry-run');
    expect(dry).toMatchObject({ 'MCP server github': 'would write', 'setting statusLine': 'no counterpart' });
    expect(existsSync(join(files.home, '.gemini'))).toBe(false);
    await run(files, '--from', 'claude');
    const before = readFileSync(join(files.home, '.gemini/settings.json'), 'utf8');
    const again = await report(files, '--from', 'claude');
    expect(Object.values(again).filter((status) => status === 'written')).toEqual([]);
    expect(again).toMatchObject({ 'MCP server github': 'already there', 'skill pdf': 'already there' });
    expect(readFileSync(join(files.home, '.gemini/settings.json'), 'utf8')).toBe(before);
    writeFileSync(join(files.home, '.gemini/skills/pdf/SKILL.md'), '---\nname: pdf\ndescription: Mine.\n---\n');
    expect(await report(files, '--from', 'claude')).toMatchObject({ 'skill pdf': 'kept' });
  });

  it('loses no denial unnoticed', async () => {
    const deny = ['WebFetch', 'Edit', 'Bash', 'mcp__db', 'Read(.env)', 'WebFetch(domain:x.org)'];
    const homeFiles = { '.claude/settings.json': JSON.stringify({ permissions: { deny } }) };
    await using files = await createWorkspace({ homeFiles });
    const { stdout } = await run(files, '--from', 'claude', '--user');
    expect(json(join(files.home, '.gemini/settings.json'))).toEqual({
      tools: { exclude: ['web_fetch', 'replace', 'apply_patch', 'run_shell_command'] },
      mcp: { excluded: ['db'] },
    });
    expect(stdout).toContain('permission Read(.env): denied for the tools that name a file');
    expect(stdout).toContain('permission WebFetch(domain:x.org) (denied): this denial is NOT in force');
  });

  it('writes as rules what no setting can hold, and they hold', async () => {
    const permissions = {
      allow: ['mcp__docs', 'Read(./src/**)', 'WebFetch(domain:x.org)'],
      ask: ['Bash(git push:*)', 'WebSearch', 'mcp__db__drop'],
      deny: ['Read(./.env)', 'Write(secrets/**)', 'Read(~/.ssh/id)', 'Read(**/*.pem)'],
    };
    await using files = await createWorkspace({
      homeFiles: { '.claude/settings.json': JSON.stringify({ permissions }) },
    });
    const { stdout } = await run(files, '--from', 'claude', '--user');
    expect(stdout.match(/(?<=no counterpart permission )\S+/g)).toEqual([
      'Read(./src/**):',
      'WebFetch(domain:x.org):',
      'Read(~/.ssh/id)',
      'Read(**/*.pem)',
    ]);
    const tests = [
      ['command = "git push origin"', 'ask_user'],
      ['toolName = "google_web_search"\nargs = { query = "x" }', 'ask_user'],
      ['toolName = "read_file"\nargs = { file_path = "./src/../.env" }', 'deny'],
      ['toolName = "read_file"\nargs = { file_path = "src/.env" }', 'allow'],
      ['toolName = "write_file"\nargs = { file_path = "a/secrets/x" }', 'deny'],
      ['toolName = "write_file"\nargs = { file_path = "nosecrets/x" }', 'allow'],
    ].map(([question, expected]) => `[[test]]\n${question}\nmode = "yolo"\nexpect = "${expected}"\n`);
    writeFileSync(join(files.home, '.gemini/policies/tests.toml'), tests.join('\n'));
    const rules = readFileSync(join(files.home, '.gemini/policies/imported-from-claude.toml'), 'utf8');
    expect(rules).toContain('# mcp__db__drop\nmcpName = "db"\ntoolName = "drop"\ndecision = "ask_user"');
    expect(rules).toContain('# mcp__docs\nmcpName = "docs"\ntoolName = "*"\ndecision = "allow"');
    let said = '';
    const write = (text: string) => void (said += text);
    const { home, project: cwd } = files;
    const code = await runPolicyCommand(['test'], { stdout: write, stderr: write, home, cwd, environment: {} });
    expect([code, said]).toEqual([0, expect.stringContaining('6')]);
  });

  it('keeps what exists unless it may replace it', async () => {
    const own = { '.gemini/GEMINI.md': 'Mine.', '.gemini/settings.json': '{"mcpServers":{"old":{"command":"mine"}}}' };
    await using files = await createWorkspace({ homeFiles: { ...CLAUDE, ...own } });
    const { stdout } = await run(files, '--from', 'claude', '--user');
    expect(stdout).toContain('To replace what exists: --overwrite.');
    expect(readFileSync(join(files.home, '.gemini/GEMINI.md'), 'utf8')).toBe('Mine.');
    expect(json(join(files.home, '.gemini/settings.json'))).toMatchObject({ mcpServers: { old: { command: 'mine' } } });
    await run(files, '--from', 'claude', '--user', '--overwrite');
    expect(readFileSync(join(files.home, '.gemini/GEMINI.md'), 'utf8')).toBe('Use tabs.');
  });

  it('takes over a project, which can allow itself nothing', async () => {
    await using files = await createWorkspace({
      files: {
        'CLAUDE.md': 'Rules.',
        '.mcp.json': '{"mcpServers":{"db":{"command":"db-mcp"}}}',
        '.claude/settings.json': '{"permissions":{"allow":["Bash(ls)"],"deny":["Bash(rm:*)"]}}',
      },
    });
    const statuses = await report(files, '--from', 'claude', '--project');
    expect(statuses).toMatchObject({
      'permission Bash(ls)': 'no counterpart',
      'permission Bash(rm:*) (denied)': 'written',
    });
    expect(json(join(files.project, '.gemini/settings.json'))).toEqual({
      tools: { exclude: ['run_shell_command(rm)'] },
      mcpServers: { db: { command: 'db-mcp', args: [] } },
    });
    expect(await files.read('GEMINI.md')).toBe('@./CLAUDE.md\n');
  });
});

describe('castor import --from another agent', () => {
  it('takes over codex', async () => {
    await using files = await createWorkspace({
      homeFiles: {
        '.codex/config.toml':
          'model = "gpt-5.4"\napproval_policy = "never"\nsandbox_mode = "read-only"\n[mcp_servers.docs]\ncommand = "docs"\nargs = ["-x"]\ntool_timeout_sec = 5\nenabled_tools = ["find"]\n[mcp_servers.api]\nurl = "https://api.example.org"\nbearer_token_env_var = "API_TOKEN"\n',
        '.codex/AGENTS.md': 'Be brief.',
        '.codex/prompts/fix.md': 'Fix $ARGUMENTS',
      },
    });
    expect(await report(files, '--from', 'codex')).toMatchObject({
      'approval_policy never': 'no counterpart',
      'sandbox_mode read-only': 'no counterpart',
      'context file AGENTS.md': 'written',
    });
    expect(json(join(files.home, '.gemini/settings.json'))).toEqual({
      castor: { model: 'openai/gpt-5.4' },
      mcpServers: {
        docs: { command: 'docs', args: ['-x'], timeout: 5000, includeTools: ['find'] },
        api: { httpUrl: 'https://api.example.org', headers: { Authorization: 'Bearer ${API_TOKEN}' } },
      },
    });
    expect(readFileSync(join(files.home, '.gemini/commands/prompts/fix.toml'), 'utf8')).toContain('Fix {{args}}');
  });

  it('takes over opencode', async () => {
    await using files = await createWorkspace({
      homeFiles: {
        '.config/opencode/opencode.json': JSON.stringify({
          model: 'anthropic/claude-opus-5',
          mcp: {
            one: { type: 'local', command: ['bun', 'x', 'one'], environment: { A: 'b' } },
            two: { type: 'remote', url: 'https://two.example.org', headers: { Authorization: 'Bearer {env:TWO}' } },
            off: { type: 'local', command: ['x'], enabled: false },
          },
          permission: { edit: 'ask', bash: { 'git push *': 'deny', 'git status': 'allow', '*': 'ask' } },
          theme: 'x',
        }),
        '.config/opencode/agent/helper.md': '---\ndescription: Helps\ntools:\n  write: false\n  read: true\n---\nHelp.',
      },
    });
    expect(await report(files, '--from', 'opencode', '--user')).toMatchObject({
      'MCP server off': 'no counterpart',
      'setting theme': 'no counterpart',
      'agent helper': 'written',
    });
    expect(json(join(files.home, '.gemini/settings.json'))).toEqual({
      castor: { model: 'anthropic/claude-opus-5' },
      mcpServers: {
        one: { command: 'bun', args: ['x', 'one'], env: { A: 'b' } },
        two: { httpUrl: 'https://two.example.org', headers: { Authorization: 'Bearer ${TWO}' } },
      },
      tools: { exclude: ['run_shell_command(git push)'], allowed: ['run_shell_command(git status)'] },
    });
  });

  it('takes over what opencode.json itself holds, and what its map of tools leaves on', async () => {
    const settings = {
      agent: {
        rev: { description: 'Reviews', prompt: 'You review.', tools: { write: false, bash: true } },
        build: { model: 'x' },
      },
      command: { t: { template: 'Run $ARGUMENTS', description: 'T' }, '../../x': { template: 'x' } },
      tools: { bash: false, webfetch: true },
      instructions: ['STYLE.md'],
    };
    const homeFiles = { '.config/opencode/opencode.json': JSON.stringify(settings) };
    await using files = await createWorkspace({ homeFiles });
    expect(await report(files, '--from', 'opencode', '--user')).toEqual({
      'agent rev': 'written',
      'agent build': 'no counterpart',
      'command t': 'written',
      'command ../../x': 'no counterpart',
      'tool bash: false': 'written',
      'tool webfetch: true': 'no counterpart',
      'instructions STYLE.md': 'no counterpart',
    });
    const agent = readFileSync(join(files.home, '.gemini/agents/rev.md'), 'utf8');
    expect(agent).toMatch(/ {2}- run_shell_command\n[^]*- read_file\n[^]*- mcp_\*\n/);
    expect(agent).not.toContain('write_file');
    expect(readFileSync(join(files.home, '.gemini/commands/t.toml'), 'utf8')).toContain('Run {{args}}');
  });

  it.each([
    ['claude', '.claude/commands/x.md', 'Write !{rm -rf x} literally', 'it contains !{, which is a placeholder here.'],
    ['claude', '.claude/commands/x.md', 'Explain {{args}}', 'it contains {{args}}, which is a placeholder here.'],
    ['codex', '.codex/prompts/x.md', 'Review $FILE', 'it uses $FILE.'],
    ['codex', '.codex/prompts/x.md', 'Costs $$5 for $1', 'it uses $1.'],
  ])('of %s leaves a command that would mean something else here: %s %s', async (from, path, body, reason) => {
    await using files = await createWorkspace({ homeFiles: { [path]: body } });
    const { stdout, code } = await run(files, '--from', from);
    expect([code, stdout]).toEqual([0, expect.stringContaining(reason)]);
    expect(existsSync(join(files.home, '.gemini/commands'))).toBe(false);
  });

  it('of codex writes a dollar sign as one', async () => {
    await using files = await createWorkspace({ homeFiles: { '.codex/prompts/x.md': 'Costs $$5, see $HOME' } });
    expect((await run(files, '--from', 'codex')).stdout).toContain('it uses $HOME.');
    writeFileSync(join(files.home, '.codex/prompts/x.md'), 'Costs $$5');
    await run(files, '--from', 'codex');
    expect(readFileSync(join(files.home, '.gemini/commands/prompts/x.toml'), 'utf8')).toContain('\nCosts $5\n');
  });

  it('goes on after a thing that cannot be written, reports all, and fails', async () => {
    await using files = await createWorkspace({
      homeFiles: {
        '.claude/skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\nx',
        '.claude/agents/a.md': '---\ndescription: d\n---\nYou.',
      },
    });
    symlinkSync('/etc/passwd', join(files.home, '.claude/skills/s/link'));
    const { code, stdout } = await run(files, '--from', 'claude');
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed {9}skill s: .*A skill may hold no links[^]*written {8}agent a →[^]*, 1 failed\./);
  });

  it('reports in a dry run what the run then does', async () => {
    const agent = (name: string) => `---\nname: ${name}\ndescription: d\n---\nYou.`;
    await using files = await createWorkspace({
      homeFiles: {
        '.claude/skills/good/SKILL.md': '---\nname: good\ndescription: d\n---\nx',
        '.claude/skills/linked/SKILL.md': '---\nname: linked\ndescription: d\n---\nx',
        '.claude/commands/a.md': 'x',
        '.claude/agents/one.md': agent('same'),
        '.claude/agents/two.md': agent('same').replace('You', 'I'),
        '.claude/CLAUDE.md': 'Use tabs.',
        '.claude/settings.json': JSON.stringify({
          permissions: { allow: ['Bash(ls:*)', 'Bash(ls *)'], deny: ['mcp__db', 'WebFetch'] },
        }),
        '.claude.json': JSON.stringify({ mcpServers: { one: { command: 'x' } } }),
        '.gemini/commands': 'a file in the place of a folder',
        '.gemini/settings.json': '{"mcp": true, "tools": {"exclude": "web_fetch"}}',
        '.gemini/GEMINI.md': 'Mine.',
      },
    });
    symlinkSync('/etc/passwd', join(files.home, '.claude/skills/linked/link'));
    const results = async (...words: string[]) => {
      const { code, stdout } = await run(files, '--from', 'claude', '--user', '-o', 'json', ...words);
      const [{ results: all } = { results: [] }] = JSON.parse(stdout) as { results: ImportResult[] }[];
      return {
        code,
        lines: all.map(({ what, status, detail }) => [what, status.replace('would write', 'written'), detail]),
      };
    };
    for (const words of [[], ['--overwrite']]) {
      const dry = await results('--dry-run', ...words);
      expect(dry).toEqual(await results(...words));
      expect(dry.code).toBe(1);
    }
    expect((await results()).lines).toEqual(
      expect.arrayContaining([
        ['skill linked', 'failed', expect.stringContaining('may hold no links')],
        ['command a.md', 'failed', `${join(files.home, '.gemini/commands')} is not a folder.`],
        ['permission mcp__db (denied)', 'failed', expect.stringContaining('a parent key is not an object')],
      ]),
    );
  });

  it('gives an agent no tool that its list does not name', async () => {
    const agent = (tools: string) => `---\ndescription: d\ntools: ${tools}\n---\nYou.`;
    await using files = await createWorkspace({
      homeFiles: {
        '.claude/agents/unknown.md': agent('Frobnicate, Task'),
        '.claude/agents/empty.md': agent('[]'),
        '.config/opencode/agent/off.md': agent('{ "*": false }'),
        '.config/opencode/opencode.json':
          '{"mcp":{"db":{"type":"local","command":["x"],"environment":{"A":"{env:MODE}"}}}}',
      },
    });
    await run(files, '--from', 'claude');
    await run(files, '--from', 'opencode');
    for (const name of ['unknown', 'empty', 'off'])
      expect(readFileSync(join(files.home, `.gemini/agents/${name}.md`), 'utf8')).toContain('\ntools: []\n');
    expect(json(join(files.home, '.gemini/settings.json'))).toMatchObject({
      mcpServers: { db: { env: { A: '${MODE}' } } },
    });
  });

  it('names everything of Claude Code that a project and a user can have', async () => {
    const permissions = {
      additionalDirectories: ['../docs', '/srv/docs'],
      disableBypassPermissionsMode: 'disable',
      x: 1,
    };
    const settings = { permissions, sandbox: { enabled: true, network: {} }, cleanupPeriodDays: 20 };
    await using files = await createWorkspace({
      files: { '.mcp.json': '{"mcpServers":{"on":{"command":"a"},"off":{"command":"b"}}}', 'CLAUDE.local.md': 'mine' },
      homeFiles: { '.claude/settings.json': JSON.stringify(settings) },
    });
    const here = { disabledMcpjsonServers: ['off'], allowedTools: ['Bash(ls:*)'] };
    writeFileSync(join(files.home, '.claude.json'), JSON.stringify({ projects: { [files.project]: here } }));
    expect(await report(files, '--from', 'claude')).toEqual({
      'folder ../docs': 'no counterpart',
      'folder /srv/docs': 'written',
      'permission disableBypassPermissionsMode': 'written',
      'permission x': 'no counterpart',
      sandbox: 'written',
      'sandbox network': 'no counterpart',
      'cleanupPeriodDays 20': 'written',
      'MCP server on': 'written',
      'MCP server off': 'no counterpart',
      'permission Bash(ls:*)': 'no counterpart',
      'context file CLAUDE.local.md': 'no counterpart',
    });
    expect(json(join(files.home, '.gemini/settings.json'))).toEqual({
      context: { includeDirectories: ['/srv/docs'] },
      security: { disableYoloMode: true },
      tools: { sandbox: true },
      general: { sessionRetention: { maxAge: '20d' } },
    });
  });

  it('takes over the denials of opencode, or says that they are not in force', async () => {
    const permission = { edit: 'deny', webfetch: 'deny', doom_loop: 'deny', bash: { '*': 'deny', 'rm * -rf': 'deny' } };
    const homeFiles = { '.config/opencode/opencode.json': JSON.stringify({ permission }) };
    await using files = await createWorkspace({ homeFiles });
    const { stdout } = await run(files, '--from', 'opencode', '--user');
    expect(json(join(files.home, '.gemini/settings.json'))).toEqual({
      tools: { exclude: ['run_shell_command', 'replace', 'apply_patch', 'write_file', 'web_fetch'] },
    });
    expect(stdout).toContain('permission doom_loop: this denial is NOT in force');
    expect(stdout).toContain('permission bash rm * -rf: deny: this denial is NOT in force');
  });

  it('says of Gemini CLI that its files are read as they are', async () => {
    await using files = await createWorkspace({ homeFiles: { '.gemini/settings.json': '{"foo":{"bar":1}}' } });
    const { stdout } = await run(files, '--from', 'gemini');
    expect(stdout).toMatch(/used as it is {2}\S+settings\.json\n[^]*setting foo\.bar: Castor does not know it\./);
  });

  it.each([
    [[], '--from is missing'],
    [['--from', 'cursor'], '--from must be claude or codex or opencode or gemini'],
    [['--from', 'claude', 'x'], 'no further words'],
  ])('%j is an error', async (argv, reason) => {
    await using files = await createWorkspace();
    expect(await run(files, ...argv)).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  });

  it('stops at a damaged file, with its name and line, and without sessions of the agent says so', async () => {
    await using files = await createWorkspace({ homeFiles: { '.codex/config.toml': 'model = ' } });
    expect(await run(files, '--from', 'codex')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/config\.toml:1: /),
    });
    expect((await run(files, '--from', 'claude')).stdout).toBe('Nothing of Claude Code found.\n');
  });
});
