import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runConfigCommand } from './config.ts';

const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

interface SetUp {
  user?: string;
  workspace?: string;
  env?: string;
  environment?: Record<string, string>;
}

function setUp({ user, workspace, env, environment = {} }: SetUp = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'castor-config-')));
  roots.push(root);
  const home = join(root, 'home');
  const cwd = join(root, 'project');
  const paths = { user: join(home, '.gemini/settings.json'), workspace: join(cwd, '.gemini/settings.json') };
  mkdirSync(cwd);
  const write = (path: string, text: string | undefined) => {
    if (text === undefined) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write(paths.user, user);
  write(paths.workspace, workspace);
  write(join(cwd, '.env'), env);
  const run = async (...args: string[]) => {
    let stdout = '';
    let stderr = '';
    const output = {
      answer: (text: string) => void (stdout += text),
      note: (text: string) => void (stderr += `${text}\n`),
    };
    const nowhere = join(root, 'etc', 'settings.json');
    const context = { output, cwd, home, environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: nowhere, ...environment } };
    const code = await runConfigCommand(args, context);
    return { code, stdout: stdout.replaceAll(root, ''), stderr: stderr.replaceAll(root, '') };
  };
  return { run, read: (scope: keyof typeof paths) => readFileSync(paths[scope], 'utf8') };
}

const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };

describe('castor config show', () => {
  it('says so when nothing is set', async () => {
    expect(await setUp().run('show')).toEqual({
      code: 0,
      stdout: 'All settings have their defaults: castor config show --all\n',
      stderr: '',
    });
  });

  it('shows what is set, without secrets, and unknown keys last', async () => {
    const { run } = setUp({
      user: '{"zzz": {"x": 1}, "mcpServers": {"a": {"command": "b", "env": {"T": "secret"}}}, "general": {"vimMode": true}}',
      environment: { GEMINI_MODEL: 'pro' },
    });
    expect((await run('show')).stdout).toBe(
      `mcpServers = {"a":{"command":"b","env":{"T":"***"}}}
general.vimMode = true
model.name = "pro"
zzz.x = 1

All other settings have their defaults: castor config show --all
`,
    );
  });

  it('shows where each comes from', async () => {
    const { run } = setUp({
      user: '{\n  "model": { "name": "flash" },\n  "ui": { "hideTips": 1 }\n}',
      workspace: '{ "model": { "name": "pro" } }',
      env: 'GEMINI_MODEL=lite\nPATH=x\n',
      environment: TRUSTED,
    });
    const { stdout, stderr } = await run('show', '--sources');
    expect(stdout).toBe(`Files, highest precedence first:
  system           absent          /etc/settings.json
  workspace        read            /project/.gemini/settings.json
  user             read            /home/.gemini/settings.json
  system defaults  absent          /etc/system-defaults.json
  .env             1 taken, 1 not  /project/.env

ui.hideTips = false
  ignored  user     /home/.gemini/settings.json:3  1  (invalid value)
  wins     default
model.name = "lite"
  wins   environment  GEMINI_MODEL in /project/.env
  loses  workspace    /project/.gemini/settings.json:1  "pro"
  loses  user         /home/.gemini/settings.json:2     "flash"

All other settings have their defaults: castor config show --all
`);
    expect(stderr).toContain('castor: Invalid configuration in /home/.gemini/settings.json:\n  line 3: ui.hideTips');
  });

  it('is JSON when asked for', async () => {
    const { run } = setUp({
      user: '{"mcpServers": {"a": {"headers": {"X": "secret"}}}}',
      environment: { GEMINI_MODEL: 'pro' },
    });
    const plain = JSON.parse((await run('show', '--json')).stdout) as Record<string, unknown>;
    expect([plain['model'], plain['mcpServers']]).toMatchObject([{ name: 'pro' }, { a: { headers: { X: '***' } } }]);
    expect(JSON.parse((await run('show', '--json', '--sources')).stdout)).toMatchObject({
      files: [
        { scope: 'systemDefaults' },
        { scope: 'user', status: 'read' },
        { scope: 'workspace' },
        { scope: 'system' },
      ],
      envFile: null,
      settings: { 'model.name': { value: 'pro', sources: [{ where: 'GEMINI_MODEL', outcome: 'wins' }] } },
    });
  });

  it('shows every setting with --all', async () => {
    const { stdout } = await setUp().run('show', '--all');
    expect(stdout.split('\n').filter((line) => line.includes(' = ')).length).toBeGreaterThan(220);
  });
});

describe('castor config explain', () => {
  it('says what a setting is, every layer, and what was not read', async () => {
    const { run } = setUp({ user: '{\n"model": {"name": "a"}}', workspace: '{', environment: { GEMINI_MODEL: 'b' } });
    const { stdout } = await run('explain', 'model.name');
    // How wide a column is depends on the temporary folder's name.
    expect(stdout.replaceAll(/\b {3,}/g, '   ')).toBe(`model.name = "b"
  The model: a name or an alias such as auto, pro or flash.
  Takes a string. Default: unset.

  wins   environment  GEMINI_MODEL   "b"
  loses  user   /home/.gemini/settings.json:2  "a"
  /project/.gemini/settings.json was ignored: the folder is not trusted.
`);
  });

  it('explains a group, a part, an unknown key that is set, and none that is not', async () => {
    const { run } = setUp({ user: '{"mcpServers": {"a": {"command": "b"}}, "mine": 1}' });
    expect((await run('explain', 'skills')).stdout).toBe(
      'skills is a group of 2 settings:\n\nskills.enabled = true\nskills.disabled = []\n',
    );
    expect((await run('explain', 'mcpServers.a.command')).stdout).toContain('= "b"\n  Part of a setting.\n');
    expect((await run('explain', 'mine')).stdout).toContain('Unknown setting; Castor keeps it in the file.');
    expect(await run('explain', 'vimMode')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'castor: unknown setting "vimMode". Did you mean general.vimMode? List all: castor config show --all\n',
    });
  });
});

describe('castor config get', () => {
  it('prints the value alone, and fails for one that is unset', async () => {
    const { run } = setUp({ user: '{"model": {"name": "a"}}' });
    expect([
      await run('get', 'model.name'),
      await run('get', 'tools.core'),
      await run('get', 'context.memoryBoundaryMarkers'),
    ]).toEqual([
      { code: 0, stdout: 'a\n', stderr: '' },
      { code: 1, stdout: '', stderr: 'castor: tools.core is unset.\n' },
      { code: 0, stdout: '[\n  ".git"\n]\n', stderr: '' },
    ]);
  });
});

describe('castor config set', () => {
  const VALUES: [string, string, unknown][] = [
    ['general.vimMode', 'true', true],
    ['model.maxSessionTurns', '5', 5],
    ['model.name', '5', '5'],
    ['ui.theme', 'true', 'true'],
    ['tools.sandbox', 'docker', 'docker'],
    ['tools.sandbox', 'false', false],
    ['tools.exclude', '["a","b"]', ['a', 'b']],
    ['tools.exclude', 'a', ['a']],
    ['mcpServers.files.command', 'npx', 'npx'],
    ['mcpServers.files.args', '["-y"]', ['-y']],
    ['mcpServers.files.env.DEBUG', '1', '1'],
  ];

  it.each(VALUES)('%s %s writes %j', async (key, given, expected) => {
    const { run, read } = setUp();
    expect((await run('set', key, given)).code).toBe(0);
    const written = key
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], JSON.parse(read('user')));
    expect(written).toEqual(expected);
  });

  it('changes nothing else, and says when there is nothing to change', async () => {
    const { run, read } = setUp({ user: '// mine\n{\n\t"ui": { "theme": "$T" }, // x\n}\n' });
    expect((await run('set', 'ui.hideTips', 'true')).stdout).toBe(
      'Set ui.hideTips = true in /home/.gemini/settings.json.\n',
    );
    expect(read('user')).toBe('// mine\n{\n\t"ui": { "theme": "$T", "hideTips": true }, // x\n}\n');
    expect((await run('set', 'ui.hideTips', 'true')).stdout).toContain('Nothing to change');
    expect((await run('unset', 'ui.hideTips')).stdout).toBe('Removed ui.hideTips from /home/.gemini/settings.json.\n');
    expect(read('user')).toBe('// mine\n{\n\t"ui": { "theme": "$T"  }, // x\n}\n');
  });

  const REFUSED: [string[], string][] = [
    [['general.vimMode', 'yes'], 'general.vimMode: expected true or false, got "yes".'],
    [['ui.colour', 'x'], 'unknown setting "ui.colour".'],
    [['admin.secureModeEnabled', 'true'], 'can only be set by a remote administrator.'],
    [['security.auth.selectedType', 'gateway', '--scope', 'workspace'], "has no effect in a project's file."],
    [['mcpServers.a.timeout', 'soon'], 'mcpServers.a.timeout: expected a number of at least 0, got "soon".'],
    [['general.vimMode'], 'set takes a key and a value, not general.vimMode.'],
    [['general.vimMode', 'true', '--scope', 'system'], '--scope must be user or workspace, not "system".'],
    [['general.vimMode', 'true', '--yes'], '--yes is an unknown option of castor config.'],
  ];

  it.each(REFUSED)('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await setUp().run('set', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it("writes the folder's file, and says when that has no effect", async () => {
    const { run, read } = setUp();
    const { stderr } = await run('set', 'ui.theme', 'Nord', '--scope=workspace');
    expect([JSON.parse(read('workspace')), stderr]).toEqual([
      { ui: { theme: 'Nord' } },
      'castor: this folder is not trusted, so Castor ignores its settings.\n',
    ]);
    const overruled = setUp({ environment: { GEMINI_MODEL: 'x' } });
    expect((await overruled.run('set', 'model.name', 'y')).stderr).toBe(
      'castor: GEMINI_MODEL overrides this value here.\n',
    );
  });
});

describe('castor config', () => {
  it('ends with 52 for a file that cannot be read, and names the place', async () => {
    const { run, read } = setUp({ user: '{\n  "a": 1\n  "b": 2\n}' });
    const { code, stderr } = await run('set', 'model.name', 'x');
    expect([code, stderr, read('user')]).toEqual([
      52,
      'castor: /home/.gemini/settings.json:3:3: invalid settings: expected a comma between two entries. Correct this place, or remove the file.\n',
      '{\n  "a": 1\n  "b": 2\n}',
    ]);
  });

  it('explains itself within 80 columns, on stdout only when asked', async () => {
    const { run } = setUp();
    const help = await run('--help');
    expect([help.code, help.stderr, help.stdout.split('\n').filter((line) => line.length > 80)]).toEqual([0, '', []]);
    expect((await run('set', '--help')).stdout).toBe(help.stdout);
    expect(await run('nope')).toMatchObject({ code: 1, stdout: '' });
    expect(await run()).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse((await run('schema')).stdout)).toMatchObject({ type: 'object' });
  });
});
