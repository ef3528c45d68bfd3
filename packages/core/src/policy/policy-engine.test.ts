import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ApprovalMode } from './approval-mode.ts';
import { APPROVAL_MODES } from './approval-mode.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from './builtin-rules.ts';
import { PolicyEngine } from './policy-engine.ts';
import type { PolicyEngineOptions } from './policy-engine.ts';
import { stableJson } from './rule-matching.ts';
import type { PolicyCall, PolicyRule } from './rule.ts';
import { rulesFromSettings } from './settings-rules.ts';
import type { SettingsRuleFields } from './settings-rules.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-policy-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const home = join(base, 'home');
const root = join(home, 'project');
const tempDirectory = join(home, '.gemini', 'tmp', 'abc');
const plansDirectory = join(tempDirectory, 'plans');
mkdirSync(join(root, 'src'), { recursive: true });
mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
mkdirSync(plansDirectory, { recursive: true });
symlinkSync(join(root, '.git'), join(root, 'innocent'));
symlinkSync(join(home, '.bashrc'), join(root, 'notes.txt'));
symlinkSync(root, join(plansDirectory, 'out'));
mkdirSync(join(root, 'secrets'));
mkdirSync(join(root, 'docs'));
mkdirSync(join(root, 'hostile'));
symlinkSync(join(root, 'secrets'), join(root, 'open'));
symlinkSync(join(root, 'src'), join(root, 'docs', 'elsewhere'));

function createEngine(rules: PolicyRule[] = [], options: Partial<PolicyEngineOptions> = {}): PolicyEngine {
  return new PolicyEngine({
    rules: [...BUILTIN_RULES, ...rules],
    checkers: BUILTIN_CHECKERS,
    root,
    home,
    tempDirectory,
    plansDirectory,
    ...options,
  });
}

function userRule(rule: Partial<PolicyRule> & Pick<PolicyRule, 'toolName' | 'decision'>): PolicyRule {
  return { priority: 4.1, kind: 'user', source: { name: 'test.toml', line: 3 }, ...rule };
}

async function decide(engine: PolicyEngine, call: PolicyCall, mode: ApprovalMode = 'default', interactive = true) {
  return (await engine.check(call, { mode, interactive })).decision;
}

const call = (toolName: string, args: Record<string, unknown> = {}): PolicyCall => ({ toolName, args });
const shell = (command: string): PolicyCall => call('run_shell_command', { command });
const write = (path: string): PolicyCall => ({
  toolName: 'write_file',
  args: { file_path: path, content: 'x' },
  kind: 'edit',
});

describe('stable JSON', () => {
  it('sorts keys and puts the pairs of the top level between NUL characters', () => {
    expect(stableJson({ x: 1, command: 'ls', a: { z: [1, undefined], b: 'q"\0' }, no: undefined })).toBe(
      '{\0"a":{"b":"q\\"\\u0000","z":[1,null]}\0,\0"command":"ls"\0,\0"x":1\0}',
    );
  });
});

describe('the built-in rules', () => {
  const rows: [PolicyCall, Record<ApprovalMode, [interactive: string, headless: string]>][] = [
    [
      call('read_file', { file_path: 'a' }),
      { plan: ['allow', 'allow'], default: ['allow', 'allow'], autoEdit: ['allow', 'allow'], yolo: ['allow', 'allow'] },
    ],
    [
      write('src/a.ts'),
      { plan: ['deny', 'deny'], default: ['ask_user', 'deny'], autoEdit: ['allow', 'allow'], yolo: ['allow', 'allow'] },
    ],
    [
      shell('npm test'),
      {
        plan: ['deny', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['ask_user', 'deny'],
        yolo: ['allow', 'allow'],
      },
    ],
    [
      shell('ls'),
      { plan: ['deny', 'deny'], default: ['allow', 'deny'], autoEdit: ['allow', 'deny'], yolo: ['allow', 'allow'] },
    ],
    [
      call('web_fetch', { prompt: 'x' }),
      {
        plan: ['ask_user', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['allow', 'allow'],
        yolo: ['allow', 'allow'],
      },
    ],
    [
      call('ask_user'),
      {
        plan: ['ask_user', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['ask_user', 'deny'],
        yolo: ['ask_user', 'deny'],
      },
    ],
    [
      call('enter_plan_mode'),
      {
        plan: ['deny', 'deny'],
        default: ['ask_user', 'allow'],
        autoEdit: ['ask_user', 'allow'],
        yolo: ['deny', 'allow'],
      },
    ],
    [
      call('exit_plan_mode'),
      { plan: ['ask_user', 'allow'], default: ['deny', 'deny'], autoEdit: ['deny', 'deny'], yolo: ['deny', 'allow'] },
    ],
    [
      call('mcp_server_do'),
      {
        plan: ['deny', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['ask_user', 'deny'],
        yolo: ['allow', 'allow'],
      },
    ],
    [
      call('discovered_tool_x'),
      {
        plan: ['deny', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['ask_user', 'deny'],
        yolo: ['allow', 'allow'],
      },
    ],
    [
      { ...call('mcp_s_read'), mcpServer: 's', annotations: { readOnlyHint: true } },
      {
        plan: ['ask_user', 'deny'],
        default: ['ask_user', 'deny'],
        autoEdit: ['ask_user', 'deny'],
        yolo: ['allow', 'allow'],
      },
    ],
  ];

  it.each(rows)('decide $toolName by mode and by whether a user can be asked', async (asked, expected) => {
    const engine = createEngine();
    for (const mode of APPROVAL_MODES) {
      const got = [await decide(engine, asked, mode, true), await decide(engine, asked, mode, false)];
      expect({ mode, got }).toEqual({ mode, got: expected[mode] });
    }
  });

  it('hide what no arguments would get through', () => {
    const tools = ['read_file', 'write_file', 'run_shell_command', 'ask_user', 'grep_search'].map((toolName) => ({
      toolName,
    }));
    const engine = createEngine();
    expect(engine.staticallyDenied(tools, { mode: 'default', interactive: false })).toEqual([
      'write_file',
      'run_shell_command',
      'ask_user',
    ]);
    expect(engine.staticallyDenied(tools, { mode: 'default', interactive: true })).toEqual([]);
    expect(engine.staticallyDenied(tools, { mode: 'plan', interactive: true })).toEqual(['run_shell_command']);
    const allowing = createEngine([
      userRule({ toolName: 'run_shell_command', commandPrefix: 'git', decision: 'allow' }),
    ]);
    expect(allowing.staticallyDenied(tools, { mode: 'default', interactive: false })).toEqual([
      'write_file',
      'ask_user',
    ]);
  });

  it('tell the model why a question without a user is a refusal', async () => {
    const engine = createEngine([userRule({ toolName: 'read_file', decision: 'ask_user' })]);
    expect(await engine.check(call('read_file'), { mode: 'default', interactive: false })).toMatchObject({
      decision: 'deny',
      unanswerable: true,
      denyMessage:
        "read_file needs the user's approval (to be asked about by test.toml line 3), and a headless run cannot ask (approval mode default).",
    });
  });
});

describe('rules', () => {
  it('are ranked by priority, and of equals the stricter wins in any order', async () => {
    const allow = userRule({ toolName: 'read_file', decision: 'allow' });
    const deny = userRule({ toolName: 'read_file', decision: 'deny' });
    expect(await decide(createEngine([allow, deny]), call('read_file'))).toBe('deny');
    expect(await decide(createEngine([deny, allow]), call('read_file'))).toBe('deny');
    expect(await decide(createEngine([deny, { ...allow, priority: 4.2 }]), call('read_file'))).toBe('allow');
  });

  it('hold under the old name of a tool', async () => {
    const engine = createEngine([userRule({ toolName: 'grep_search', decision: 'deny' })]);
    expect(await decide(engine, call('search_file_content'))).toBe('deny');
  });

  it('narrowed by arguments look at stable JSON', async () => {
    const engine = createEngine([
      userRule({ toolName: 'read_file', decision: 'deny', argsPattern: /"file_path":"secrets\// }),
    ]);
    expect(await decide(engine, call('read_file', { file_path: 'secrets/a' }))).toBe('deny');
    expect(await decide(engine, call('read_file', { file_path: 'src/a' }))).toBe('allow');
  });

  it.each([
    './secrets/a',
    'src/../secrets/a',
    join(root, 'secrets/a'),
    '@secrets/a',
    'secr\0ets/a',
    'open/a',
    join(root, 'open/a'),
  ])('that forbid a file hold for %j, which is another name of it', async (file_path) => {
    const engine = createEngine([
      userRule({ toolName: '*', decision: 'deny', argsPattern: /"(?:file|dir)_path":"secrets\// }),
    ]);
    expect(await decide(engine, call('read_file', { file_path }))).toBe('deny');
    expect(await decide(engine, write(file_path), 'yolo')).toBe('deny');
    expect(await decide(engine, call('list_directory', { dir_path: file_path }))).toBe('deny');
  });

  it.each([
    ['sed -n 1p *', 'ask_user'],
    ['rg todo *', 'ask_user'],
    ['find * -name a', 'ask_user'],
    ['git diff *', 'ask_user'],
    ['cd hostile && rg todo *', 'ask_user'],
    ['sed -n 1p ./*', 'allow'],
    ['git diff -- *', 'allow'],
    ['rg todo *.md', 'allow'],
    ['cat *', 'allow'],
  ])('that know commands as safe take the names of files into account: %s', async (command, expected) => {
    writeFileSync(join(root, 'hostile', '-fevil'), '');
    const inHostile = call('run_shell_command', { command, dir_path: command.startsWith('cd') ? '.' : 'hostile' });
    expect(await decide(createEngine(), inHostile)).toBe(expected);
    const rules = ['sed', 'rg', 'find', 'git', 'cat', 'cd'].map((commandPrefix) =>
      userRule({ toolName: 'run_shell_command', decision: 'allow', commandPrefix }),
    );
    expect(await decide(createEngine(rules), inHostile)).toBe(expected);
  });

  it('that allow a folder do not follow its links out of it', async () => {
    const engine = createEngine([
      userRule({ toolName: 'write_file', decision: 'allow', argsPattern: /"file_path":"docs\// }),
    ]);
    expect(await decide(engine, write('docs/a.md'))).toBe('allow');
    expect(await decide(engine, write('docs/elsewhere/a.ts'))).toBe('ask_user');
  });

  it('for a server do not reach another server whose tool has a similar name', async () => {
    const engine = createEngine([
      userRule({ toolName: 'mcp_good_*', decision: 'allow' }),
      userRule({ toolName: '*', mcpName: 'bad', decision: 'deny' }),
    ]);
    expect(await decide(engine, { ...call('mcp_good_x'), mcpServer: 'good' })).toBe('allow');
    expect(await decide(engine, { ...call('mcp_good_x_y'), mcpServer: 'good_x' })).toBe('ask_user');
    expect(await decide(engine, { ...call('mcp_bad_x'), mcpServer: 'bad' }, 'yolo')).toBe('deny');
  });

  it('that ask for the shell are not lifted for safe commands when a person wrote them', async () => {
    const engine = createEngine([userRule({ toolName: 'run_shell_command', decision: 'ask_user' })]);
    expect(await decide(engine, shell('ls'))).toBe('ask_user');
  });

  it('that allow the whole shell still ask about what destroys or hides', async () => {
    const engine = createEngine([userRule({ toolName: 'run_shell_command', decision: 'allow' })]);
    expect(await decide(engine, shell('npm test'))).toBe('allow');
    for (const command of [
      'rm -rf x',
      'git reset --hard',
      'git clean -fdx',
      'python3 -c x',
      'eval "$X"',
      'git -c a.b=c log',
      'sudo ls',
    ]) {
      expect([command, await decide(engine, shell(command))]).toEqual([command, 'ask_user']);
    }
  });

  it('that allow a wrapper with its command allow that command inside it', async () => {
    const engine = createEngine([
      userRule({ toolName: 'run_shell_command', commandPrefix: 'sudo apt-get update', decision: 'allow' }),
    ]);
    expect(await decide(engine, shell('sudo apt-get update'))).toBe('allow');
    expect(await decide(engine, shell('sudo apt-get remove x'))).toBe('ask_user');
    expect(await decide(engine, shell('apt-get update'))).toBe('ask_user');
  });

  it('with a regular expression match from the start of each command', async () => {
    const engine = createEngine([
      userRule({ toolName: 'run_shell_command', commandRegex: /^(?:npm run (?:build|test)$)/, decision: 'allow' }),
    ]);
    expect(await decide(engine, shell('npm run build && npm run test'))).toBe('allow');
    expect(await decide(engine, shell('npm run build --x'))).toBe('ask_user');
    expect(await decide(engine, shell('xnpm run build'))).toBe('ask_user');
  });

  it.each(['/usr/bin/curl x', "'/usr/bin/curl' x", 'env /usr/bin/curl x', '../bin/CURL x', 'sudo -n ~/bin/curl x'])(
    'with a regular expression that deny a command deny it by its path too: %s',
    async (command) => {
      const deny = { toolName: 'run_shell_command', decision: 'deny' } as const;
      for (const rule of [
        userRule({ ...deny, commandRegex: /^(?:curl .*)/ }),
        userRule({ ...deny, argsPattern: /"command":"curl / }),
      ]) {
        expect(await decide(createEngine([rule]), shell(command), 'yolo')).toBe('deny');
      }
    },
  );

  it('with a regular expression that allow a command do not allow another of its name', async () => {
    const engine = createEngine([
      userRule({ toolName: 'run_shell_command', commandRegex: /^(?:npm test)/, decision: 'allow' }),
    ]);
    expect(await decide(engine, shell('./npm test'))).toBe('ask_user');
  });

  it('that deny by a pattern over several commands hold for the line', async () => {
    const engine = createEngine([
      userRule({ toolName: 'run_shell_command', argsPattern: /a.*&&.*b/s, decision: 'deny' }),
    ]);
    expect(await decide(engine, shell('a && b'), 'yolo')).toBe('deny');
  });

  it('let redirections through only where they say so, or where the mode edits', async () => {
    const rule = userRule({ toolName: 'run_shell_command', commandPrefix: 'npm test', decision: 'allow' });
    expect(await decide(createEngine([rule]), shell('npm test > out'))).toBe('ask_user');
    expect(await decide(createEngine([{ ...rule, allowRedirection: true }]), shell('npm test > out'))).toBe('allow');
    expect(await decide(createEngine([rule]), shell('npm test > out'), 'autoEdit')).toBe('allow');
    expect(await decide(createEngine([rule]), shell('npm test > ../out'), 'autoEdit')).toBe('ask_user');
  });

  it('added in the session hold from then on', async () => {
    const engine = createEngine();
    expect(await decide(engine, shell('npm test'))).toBe('ask_user');
    engine.addRule({
      ...userRule({ toolName: 'run_shell_command', commandPrefix: 'npm test', decision: 'allow' }),
      priority: 3.95,
    });
    expect(await decide(engine, shell('npm test -- --watch'))).toBe('allow');
    expect(await decide(engine, shell('npm publish'))).toBe('ask_user');
  });

  it('never let git run in a folder that is not trusted without asking', async () => {
    const engine = createEngine([], { trustedFolder: false });
    expect(await decide(engine, shell('git status'))).toBe('ask_user');
  });
});

describe('files of environment variables', () => {
  const allowed = createEngine([
    userRule({ toolName: 'write_file', decision: 'allow' }),
    userRule({ toolName: 'run_shell_command', decision: 'allow' }),
  ]);
  const files = [
    '.env',
    '.env.local',
    '.ENV.production',
    'packages/a/.env',
    join(home, '.env'),
    '.env-staging',
    './src/../.env',
    '.e\u200dnv',
    '.env::$DATA',
  ];

  it.each(['.g\u200cit/hooks/x', '.git::$INDEX_ALLOCATION/hooks/x'])(
    'are no exception in yolo mode for %s, which file systems take for .git',
    async (file) => {
      expect(await decide(createEngine(), write(file), 'yolo')).toBe('ask_user');
    },
  );

  it.each(files)('are asked about before %s is written by an edit, in every mode but yolo', async (file) => {
    expect(await decide(createEngine(), write(file), 'autoEdit')).toBe('ask_user');
    expect(await decide(allowed, write(file), 'default')).toBe('ask_user');
    expect(await decide(allowed, write(file), 'autoEdit', false)).toBe('deny');
    expect(await decide(createEngine(), write(file), 'yolo')).toBe('allow');
  });

  it.each([
    'echo A=1 >> .env',
    'cp .env.example .env',
    'tee .env.local < x',
    'sed -i s/a/b/ .env',
    'cd packages && echo x > .env',
    'mv x .env.production',
    'rm .env',
    'f=.env; echo x > $f',
    'git log --output=.env',
    'sort -o .env x',
    'echo x > $(echo .env)',
    'cat .env > $target',
  ])('are asked about before a command writes them: %s', async (command) => {
    expect(await decide(allowed, shell(command), 'default')).toBe('ask_user');
    expect(await decide(allowed, shell(command), 'autoEdit')).toBe('ask_user');
    expect(await decide(createEngine(), shell(command), 'yolo')).toBe('allow');
  });

  it.each(['.env.example', '.env.sample', '.env.template', 'src/env.ts', 'x.env'])(
    'do not include %s',
    async (file) => {
      expect(await decide(createEngine(), write(file), 'autoEdit')).toBe('allow');
      expect(await decide(allowed, shell(`touch ${file}`), 'default')).toBe('allow');
    },
  );

  it('are open to a rule that names them', async () => {
    const engine = createEngine([
      userRule({ toolName: 'write_file', decision: 'allow', argsPattern: /"file_path":"[^"]*\.env\.local"/ }),
    ]);
    expect(await decide(engine, write('.env.local'))).toBe('allow');
    expect(await decide(engine, write('.env'))).toBe('ask_user');
  });
});

describe('protected places', () => {
  const paths = [
    ...[
      '.git/config',
      '.gemini/settings.json',
      '.claude/x',
      '.codex/x',
      '.vscode/tasks.json',
      '.husky/pre-commit',
      '.github/workflows/ci.yml',
    ],
    ...[
      'AGENTS.md',
      'GEMINI.md',
      'src/AGENTS.md',
      '../.bashrc',
      '~/.zshrc',
      '.GIT/config',
      'src/../.git/config',
      'innocent/config',
      'notes.txt',
    ],
    ...['.gemini/policies/x.toml', '.git ', './.git/hooks/new', '@.git/config'],
  ];

  it.each(paths)('ask in every mode before %s is written', async (path) => {
    const engine = createEngine([userRule({ toolName: 'write_file', decision: 'allow' })]);
    for (const mode of ['default', 'autoEdit', 'yolo'] as const)
      expect(await decide(engine, write(path), mode)).toBe('ask_user');
    expect(await decide(engine, write(path), 'yolo', false)).toBe('deny');
  });

  it('are asked about when a foreign tool names them', async () => {
    const engine = createEngine();
    const foreign = { ...call('mcp_fs_write', { target: { path: '.git/config' } }), mcpServer: 'fs' };
    expect(await decide(engine, foreign, 'yolo')).toBe('ask_user');
    const hinted = { ...foreign, annotations: { readOnlyHint: true } };
    expect(await decide(engine, hinted, 'yolo')).toBe('ask_user');
    expect(await decide(engine, { ...hinted, isTrustedServer: true }, 'yolo')).toBe('allow');
    const contradictory = { ...hinted, annotations: { readOnlyHint: true, destructiveHint: true } };
    expect(await decide(engine, { ...contradictory, isTrustedServer: true }, 'yolo')).toBe('ask_user');
  });

  it('open for a rule of the user that names them', async () => {
    const engine = createEngine([
      userRule({ toolName: 'write_file', decision: 'allow', argsPattern: /"file_path":"\.github\/workflows\// }),
      userRule({
        toolName: 'run_shell_command',
        decision: 'allow',
        commandPrefix: 'cp ci.yml .github/workflows/ci.yml',
      }),
    ]);
    expect(await decide(engine, write('.github/workflows/ci.yml'))).toBe('allow');
    expect(await decide(engine, write('.git/config'))).toBe('ask_user');
    expect(await decide(engine, shell('cp ci.yml .github/workflows/ci.yml'), 'yolo')).toBe('allow');
    expect(await decide(engine, shell('cp ci.yml .github/workflows/x.yml'), 'yolo')).toBe('ask_user');
  });

  it.each([
    ['cat .gitignore', 'cat .gitignore > .git/hooks/pre-commit'],
    ['cp .gitattributes', 'cp .gitattributes .git/config'],
    ['cp x.bashrc', 'cp x.bashrc ~/.bashrc'],
  ])('do not open for a rule that only has a longer name: %s', async (commandPrefix, command) => {
    const engine = createEngine([userRule({ toolName: 'run_shell_command', decision: 'allow', commandPrefix })]);
    for (const mode of ['default', 'autoEdit', 'yolo'] as const)
      expect(await decide(engine, shell(command), mode)).toBe('ask_user');
  });

  it("do not include the program's own temporary folder", async () => {
    expect(await decide(createEngine(), write(join(tempDirectory, 'note.txt')), 'yolo')).toBe('allow');
  });

  it.each(['.git', '@.git', '.gi\0t', 'innocent', './src/../.git'])(
    'are found from the folder a command runs in, written %j',
    async (dir_path) => {
      const inFolder = call('run_shell_command', { command: 'touch hooks/x', dir_path });
      expect(await decide(createEngine(), inFolder, 'yolo')).toBe('ask_user');
    },
  );

  it('are found through a link from a shell command', async () => {
    expect(await decide(createEngine(), shell('echo x > innocent/config'), 'yolo')).toBe('ask_user');
    expect(await decide(createEngine(), shell('cp x notes.txt'), 'yolo')).toBe('ask_user');
  });
});

describe('the mode that edits', () => {
  it('asks before writing outside the workspace', async () => {
    expect(await decide(createEngine(), write(join(base, 'elsewhere.txt')), 'autoEdit')).toBe('ask_user');
  });
});

describe('plan mode', () => {
  it('writes plans, and only where the real path is in the plans folder', async () => {
    const engine = createEngine();
    expect(await decide(engine, write(join(plansDirectory, 'plan.md')), 'plan', false)).toBe('allow');
    for (const path of [
      join(plansDirectory, 'plan.sh'),
      join(plansDirectory, '..', 'x.md'),
      join(plansDirectory, 'out', 'x.md'),
      'x.md',
    ]) {
      expect([path, await decide(engine, write(path), 'plan')]).toEqual([path, 'deny']);
    }
  });

  it('binds whatever rules allow', async () => {
    const engine = createEngine([
      userRule({ toolName: '*', decision: 'allow', priority: 4.999 }),
      userRule({
        toolName: 'run_shell_command',
        commandPrefix: 'git',
        decision: 'allow',
        priority: 5.5,
        kind: 'system',
      }),
    ]);
    for (const asked of [
      write('a.ts'),
      shell('git log'),
      { ...call('mcp_x_y'), mcpServer: 'x' },
      call('discovered_tool_x'),
      { ...write('a'), subagent: 'helper' },
    ]) {
      expect(await decide(engine, asked, 'plan')).toBe('deny');
    }
    expect(await decide(engine, call('read_file'), 'plan')).toBe('allow');
  });

  it('gives way to a rule that names it', async () => {
    const engine = createEngine([
      userRule({ toolName: 'run_shell_command', commandPrefix: 'git log', decision: 'allow', modes: ['plan'] }),
    ]);
    expect(await decide(engine, shell('git log'), 'plan')).toBe('allow');
    expect(await decide(engine, shell('git log; npm test'), 'plan')).toBe('deny');
  });
});

describe('settings', () => {
  const engineFor = (fields: SettingsRuleFields) => createEngine(rulesFromSettings(fields));

  it('with an allow list refuse the rest even in yolo mode', async () => {
    const engine = engineFor({ allowed: ['read_file', 'run_shell_command(git status)'] });
    expect(await decide(engine, call('read_file'), 'yolo', false)).toBe('allow');
    expect(await decide(engine, shell('git status'), 'yolo', false)).toBe('allow');
    for (const asked of [
      write('a.ts'),
      shell('npm test'),
      shell('git status; npm test'),
      call('web_fetch'),
      { ...call('mcp_a_b'), mcpServer: 'a' },
    ]) {
      expect(await decide(engine, asked, 'yolo', false)).toBe('deny');
    }
  });

  it('with an empty allow list allow nothing', async () => {
    for (const fields of [{ allowed: [] }, { allowed: [''] }, { core: [] }]) {
      expect(await decide(engineFor(fields), write('a.ts'), 'yolo', false)).toBe('deny');
      expect(await decide(engineFor(fields), shell('ls'), 'yolo', false)).toBe('deny');
      expect(await decide(engineFor(fields), call('read_file'), 'yolo', false)).toBe('deny');
    }
  });

  it('that allow some commands deny the others', async () => {
    const engine = engineFor({
      allowed: ['run_shell_command(git status)', 'ShellTool(npm test)', 'run_shell_command()'],
    });
    expect(await decide(engine, shell('git status -s'), 'default', false)).toBe('allow');
    expect(await decide(engine, shell('npm test'), 'default', false)).toBe('allow');
    expect(await decide(engine, shell('git push'), 'default', true)).toBe('deny');
  });

  it('that exclude win over those that allow', async () => {
    const engine = engineFor({ allowed: ['run_shell_command'], exclude: ['run_shell_command(rm -rf)', 'web_fetch'] });
    expect(await decide(engine, shell('npm test'), 'default', false)).toBe('allow');
    expect(await decide(engine, shell('npm test && rm -rf x'), 'yolo', true)).toBe('deny');
    expect(await decide(engine, call('web_fetch'), 'yolo', true)).toBe('deny');
  });

  it('can demand a confirmation in yolo mode', async () => {
    expect(await decide(engineFor({ confirmationRequired: ['write_file'] }), write('a.ts'), 'yolo')).toBe('ask_user');
  });

  it('decide about MCP servers by name', async () => {
    const engine = engineFor({ mcpExcluded: ['bad'], mcpTrusted: ['mine'], mcpAllowed: ['ok'] });
    expect(await decide(engine, { ...call('mcp_bad_x'), mcpServer: 'bad' }, 'yolo')).toBe('deny');
    expect(await decide(engine, { ...call('mcp_mine_x'), mcpServer: 'mine' })).toBe('allow');
    expect(await decide(engine, { ...call('mcp_ok_x'), mcpServer: 'ok' })).toBe('allow');
    expect(await decide(engine, { ...call('mcp_new_x'), mcpServer: 'new' })).toBe('ask_user');
  });

  it('cover a server whose own name begins with mcp_ by the names of its tools', async () => {
    const tool = { ...call('mcp_z_echo'), mcpServer: 'mcp_z', mcpTool: 'echo' };
    for (const pattern of ['mcp_z_*', 'mcp_mcp_z_*'])
      expect(await decide(engineFor({ allowed: [pattern] }), tool)).toBe('allow');
    expect(await decide(engineFor({ allowed: ['mcp_z_*'] }), { ...tool, isProjectServer: true })).toBe('ask_user');
  });

  it('of a project restrict the servers of the user, and lift no question about them', async () => {
    const ofUser = { ...call('mcp_mine_x'), mcpServer: 'mine' };
    const ofProject = { ...call('mcp_mine_x'), mcpServer: 'mine', isProjectServer: true };
    for (const fields of [
      { allowed: ['mcp_mine_x'], isAllowedByProject: true },
      { allowed: ['mcp_*'], isAllowedByProject: true },
      { allowed: ['*'], isAllowedByProject: true },
      { core: ['mcp_mine_x'], isCoreOfProject: true },
      { mcpTrustedByProject: ['mine'] },
    ]) {
      const engine = engineFor(fields);
      expect([fields, await decide(engine, ofUser), await decide(engine, ofProject)]).toEqual([
        fields,
        'ask_user',
        'allow',
      ]);
    }
    const listed = engineFor({ allowed: ['mcp_mine_x'], isAllowedByProject: true });
    expect(await decide(listed, ofUser, 'yolo')).toBe('allow');
    const policy = { ...userRule({ toolName: '*', mcpName: 'mine', decision: 'allow' }), kind: 'project' as const };
    expect(await decide(createEngine([policy]), ofUser)).toBe('ask_user');
    expect(await decide(createEngine([{ ...policy, decision: 'deny' }]), ofUser)).toBe('deny');
    expect(await decide(engineFor({ core: ['read_file'], isCoreOfProject: true }), ofUser)).toBe('deny');
  });

  it('by annotation allow nothing of a server that is neither trusted nor named, but still deny', async () => {
    const annotated = { ...call('mcp_fs_x'), mcpServer: 'fs', annotations: { readOnlyHint: true } };
    const allow = { toolName: '*', decision: 'allow', toolAnnotations: { readOnlyHint: true } } as const;
    const rule = (fields: Parameters<typeof userRule>[0]) => createEngine([userRule(fields)]);
    expect(await decide(rule(allow), annotated)).toBe('ask_user');
    expect(await decide(rule({ ...allow, mcpName: '*' }), annotated)).toBe('ask_user');
    expect(await decide(rule(allow), { ...annotated, isTrustedServer: true })).toBe('allow');
    expect(await decide(rule({ ...allow, mcpName: 'fs' }), annotated)).toBe('allow');
    expect(await decide(rule({ ...allow, decision: 'deny' }), annotated)).toBe('deny');
  });

  it('can allow MCP servers where no user can be asked, and only there', async () => {
    const engine = engineFor({ mcpAutoAllow: true, mcpExcluded: ['bad'] });
    const ofServer = (mcpServer: string) => ({ ...call(`mcp_${mcpServer}_x`), mcpServer });
    expect(await decide(engine, ofServer('any'), 'default', false)).toBe('allow');
    expect(await decide(engine, ofServer('any'), 'default', true)).toBe('ask_user');
    expect(await decide(engine, ofServer('any'), 'plan', false)).toBe('deny');
    expect(await decide(engine, ofServer('bad'), 'default', false)).toBe('deny');
    expect(await decide(engine, call('write_file'), 'default', false)).toBe('deny');
  });
});

describe('safety checkers', () => {
  it('that are not available make the call ask', async () => {
    const checkers = [{ toolName: 'read_file', priority: 4, checker: 'conseca', source: { name: 'x.toml' } }];
    expect(await decide(createEngine([], { checkers }), call('read_file'))).toBe('ask_user');
  });
});
