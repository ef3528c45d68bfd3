/** Which servers run: layers, restrictions, variables and addresses, from real settings files. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../config/load-settings.ts';
import { selectServers } from './select-servers.ts';
import type { ServerRestrictions } from './select-servers.ts';
import { createServerEnvironment } from './server-environment.ts';
import { hasMcpServers, toMcpLayers } from './server-layer.ts';
import { readMcpManifests } from './server-manifests.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-mcp-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Servers = Record<string, Record<string, unknown>>;

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(value));
}

interface Files {
  user?: Servers;
  project?: Servers;
  extensions?: Record<string, Servers>;
  environment?: Record<string, string>;
}

function layersOf({ user = {}, project = {}, extensions = {}, environment = {} }: Files) {
  write('home/.gemini/settings.json', { mcpServers: user });
  write('project/.gemini/settings.json', { mcpServers: project });
  const sources = Object.entries(extensions).map(([name, mcpServers]) => {
    write(`${name}/gemini-extension.json`, { name, version: '1', mcpServers });
    return { kind: 'extension' as const, name, directory: join(folder, name), trusted: true };
  });
  const root = join(folder, 'project');
  const { layers } = loadSettings({
    home: join(folder, 'home'),
    cwd: root,
    environment: { ...environment, GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(folder, 'none.json') },
    platform: 'linux',
    isTrusted: true,
  });
  return [...readMcpManifests({ sources, root, environment }), ...toMcpLayers(layers)];
}

function select(files: Files, restrictions?: ServerRestrictions) {
  return selectServers(layersOf(files), restrictions);
}

const names = ({ servers }: ReturnType<typeof selectServers>) => servers.map(({ name }) => name);

describe('addresses', () => {
  it.each([
    [
      { command: 'run', args: ['a'], cwd: 'b' },
      { kind: 'stdio', command: 'run', args: ['a'], cwd: 'b', env: {} },
    ],
    [{ url: 'http://h/' }, { kind: 'http-or-sse', url: 'http://h/', headers: {} }],
    [
      { url: 'http://h/', type: 'http' },
      { kind: 'http', url: 'http://h/', headers: {} },
    ],
    [
      { url: 'http://h/', type: 'sse' },
      { kind: 'sse', url: 'http://h/', headers: {} },
    ],
    [
      { httpUrl: 'http://a/', url: 'http://b/', type: 'sse' },
      { kind: 'http', url: 'http://a/', headers: {} },
    ],
    [
      { url: 'https://h/', headers: { A: 'b' }, command: 'x' },
      { kind: 'http-or-sse', url: 'https://h/', headers: { A: 'b' } },
    ],
  ])('%j', (entry, address) => {
    expect(select({ user: { a: entry } }).servers.map((server) => server.address)).toEqual([address]);
  });

  it.each([
    [{ tcp: 'host:1' }, 'The MCP server a names only "tcp", which is unsupported. Name a command or a url.'],
    [{}, 'The MCP server a has neither a command nor a url. Name one of them.'],
    [{ args: ['x'], env: {} }, 'The MCP server a has neither a command nor a url. Name one of them.'],
    [{ url: 'nonsense' }, 'The MCP server a has an invalid url: "nonsense". Write it with http:// or https://.'],
    [{ url: 'file:///etc/passwd' }, 'The MCP server a has a url of the unsupported scheme file. Use http or https.'],
  ])('reports %j', (entry, message) => {
    const { servers, idle } = select({ user: { a: entry } });
    expect({ servers, idle }).toEqual({ servers: [], idle: [{ name: 'a', reason: 'invalid', message }] });
  });

  it('takes limits from the entry', () => {
    const { servers } = select({
      user: { a: { command: 'x' }, b: { command: 'x', timeout: 1000 }, c: { command: 'x', timeout: 900_000 } },
    });
    expect(servers.map(({ timeoutMs, startLimitMs }) => [timeoutMs, startLimitMs])).toEqual([
      [600_000, 30_000],
      [1000, 1000],
      [900_000, 30_000],
    ]);
  });
});

describe('layers', () => {
  it('replaces the whole entry of a weaker layer', () => {
    const { servers } = select({ user: { a: { command: 'u', trust: true } }, project: { a: { command: 'p' } } });
    expect(servers).toMatchObject([{ name: 'a', source: 'project', trust: false, address: { command: 'p' } }]);
  });

  it.each<[string, Record<string, unknown>, object, string[]]>([
    [
      'narrows its tools',
      { includeTools: ['x', 'z'], excludeTools: ['q'] },
      { includeTools: ['x'], excludeTools: ['q'] },
      [],
    ],
    ['trusts it', { trust: true }, { trust: false }, ['so trust has no effect']],
    ['is empty', {}, {}, ['and has no effect']],
  ])('keeps the server of a weaker layer when an entry without an address %s', (_what, patch, expected, warned) => {
    const own = { command: 'u', includeTools: ['x', 'y'] };
    const { servers, warnings } = select({ user: { a: own }, project: { a: patch } });
    expect(servers).toMatchObject([{ name: 'a', source: 'user', address: { command: 'u' }, ...expected }]);
    expect(warnings).toEqual(warned.map((part) => expect.stringContaining(`neither a command nor a url, ${part}`)));
  });

  it('adjusts the server of an extension, which cannot trust itself', () => {
    const { servers } = select({
      extensions: {
        one: {
          a: {
            command: '${extensionPath}${/}run',
            args: ['$WORD'],
            trust: true,
            includeTools: ['x', 'y'],
            env: { A: '1', B: '1' },
          },
        },
      },
      user: { a: { includeTools: ['y', 'z'], excludeTools: ['q'], env: { B: '2' } } },
      environment: { WORD: 'w' },
    });
    expect(servers).toMatchObject([
      {
        owner: 'one',
        trust: false,
        includeTools: ['y'],
        excludeTools: ['q'],
        address: { command: join(folder, 'one', 'run'), args: ['w'], env: { A: '1', B: '2' } },
      },
    ]);
  });

  it('keeps the first of two extensions with one name, and names the second', () => {
    const { servers, warnings } = select({
      extensions: { one: { a: { command: '1' } }, two: { a: { command: '2' } } },
    });
    expect(servers).toMatchObject([{ owner: 'one' }]);
    expect(warnings).toEqual(['The MCP server a of the extension two was skipped: its name is taken.']);
  });

  it('reports an unreadable manifest', () => {
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken/gemini-extension.json'), '{');
    const sources = [{ kind: 'extension' as const, name: 'broken', directory: join(folder, 'broken'), trusted: true }];
    const layers = readMcpManifests({ sources, root: folder, environment: {} });
    expect(hasMcpServers(layers)).toBe(true);
    expect(selectServers(layers).warnings).toEqual([expect.stringContaining('Castor starts none of its servers.')]);
  });

  it('ignores a patch without a server', () => {
    expect(select({ user: { a: { excludeTools: ['x'] } } })).toEqual({ servers: [], idle: [], warnings: [] });
  });

  it('finds no server where none is configured', () => expect(hasMcpServers(layersOf({}))).toBe(false));
});

describe('restrictions', () => {
  const user = { one: { command: '1' }, two: { command: '2' }, Three: { command: '3' } };
  it.each<[ServerRestrictions, string[]]>([
    [{}, ['Three', 'one', 'two']],
    [{ allowed: ['one', 'three'] }, ['Three', 'one']],
    [{ allowed: [] }, []],
    [{ excluded: ['ONE'] }, ['Three', 'two']],
    [{ allowed: ['one', 'two'], excluded: ['two'] }, ['one']],
    [{ named: ['two'], allowed: ['one'], excluded: ['two'] }, ['two']],
    [{ named: [] }, []],
    [{ named: [''] }, []],
    [{ disabled: ['one', 'three'] }, ['two']],
    [{ admin: { allowed: ['one'] }, allowed: ['one', 'two'], named: ['one', 'two'] }, ['one']],
    [{ admin: { excluded: ['Two'] }, named: ['one', 'two'] }, ['one']],
    [{ admin: { allowed: [] }, named: ['one'] }, []],
    [{ admin: { config: { one: { url: 'https://admin/' } } }, named: ['one', 'two'] }, ['one']],
    [{ admin: { enabled: false } }, []],
    [{ admin: { config: { one: { url: 'https://admin/', type: 'http' } } } }, ['one']],
    [{ admin: { requiredConfig: { must: { url: 'https://admin/' } } } }, ['Three', 'must', 'one', 'two']],
  ])('%j', (restrictions, running) => {
    const selection = select({ user }, restrictions);
    expect(names(selection)).toEqual(running);
    const idle = Object.keys(user).filter((name) => !running.includes(name));
    expect(selection.idle.map(({ name }) => name).toSorted()).toEqual(idle.toSorted());
  });

  it.each<[string, ServerRestrictions, string[]]>([
    ['run "a b"', {}, ['mcp']],
    ['run; rm', {}, []],
    ['run', { admin: { enabled: false } }, []],
    ['run', { admin: { config: { other: { url: 'https://admin/' } } } }, []],
  ])('mcp.serverCommand %j with %j', (serverCommand, restrictions, running) => {
    const layer = { source: 'user' as const, servers: {}, written: {}, serverCommand };
    expect(names(selectServers([layer], restrictions))).toEqual(running);
  });

  it('the serverCommand of a project is a server of the project, whatever the user has', () => {
    const none = { servers: {}, written: {} };
    const { servers } = selectServers([
      { ...none, source: 'user', serverCommand: 'mine' },
      { ...none, source: 'project', serverCommand: 'theirs x' },
    ]);
    expect(servers).toMatchObject([{ name: 'mcp', source: 'project', address: { command: 'theirs', args: ['x'] } }]);
  });

  it('says why a server does not start that the run asks for by its name, and nothing about others', () => {
    const user = { one: { command: 'a' }, two: { command: 'b' }, three: { command: 'c' } };
    const { servers, warnings } = selectServers(layersOf({ user }), {
      named: ['two', 'three'],
      disabled: ['three'],
      admin: { allowed: ['one', 'three'] },
    });
    expect(servers).toEqual([]);
    expect(warnings).toEqual([
      'The MCP server three is disabled.',
      "The MCP server two is blocked: the administrator's mcp.allowed does not name it.",
    ]);
  });

  it('connects to the address of the administrator and runs nothing else', () => {
    const admin = { config: { one: { url: 'https://admin/', type: 'http' } } };
    const { servers, idle } = select(
      { user: { one: { command: 'evil', trust: true }, two: { command: 'x' } } },
      { admin },
    );
    expect(servers).toMatchObject([{ trust: false, address: { kind: 'http', url: 'https://admin/' } }]);
    expect(idle).toEqual([
      {
        name: 'two',
        reason: 'blocked',
        message: "The MCP server two is blocked: the administrator's list does not contain it.",
      },
    ]);
  });
});

describe('variables', () => {
  it('expands them in every string and clears unknown ones in env and headers', () => {
    const { servers, warnings } = select({
      user: {
        a: { command: '$BIN', args: ['${ARG}', '$NONE'], env: { T: '$TOKEN', U: 'x$NONE' } },
        b: { url: 'http://$HOST/', headers: { Authorization: 'Bearer ${MISSING}' } },
      },
      environment: { BIN: 'run', ARG: 'a b', TOKEN: 'pa$$NONEword', HOST: 'h' },
    });
    expect(servers.map(({ address }) => address)).toEqual([
      { kind: 'stdio', command: 'run', args: ['a b', '$NONE'], env: { T: 'pa$$NONEword', U: 'x' } },
      { kind: 'http-or-sse', url: 'http://h/', headers: { Authorization: 'Bearer ' } },
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/settings\.json:\d+: mcpServers\.a\.(args|env\.U) uses \$NONE, which is not set\.$/),
      expect.stringMatching(/mcpServers\.b\.headers\.Authorization uses \$MISSING, which is not set\.$/),
    ]);
  });

  it('withholds what looks like a secret unless the entry names it', () => {
    const base = { PATH: '/bin', GITHUB_TOKEN: 't', GEMINI_API_KEY: 'k', PLAIN: 'p', MINE: 'the-key-in-use' };
    const { variables, withheld } = createServerEnvironment({
      base,
      secrets: ['the-key-in-use'],
      env: { GITHUB_TOKEN: 't' },
    });
    expect(variables).toMatchObject({ PATH: '/bin', GITHUB_TOKEN: 't', PLAIN: 'p', GEMINI_CLI: '1' });
    expect(withheld).toEqual(['GEMINI_API_KEY', 'MINE']);
  });
});

describe('mistakes in an entry', () => {
  const file = '/f.json';
  const one = (entry: object, locate?: (key: string) => string) =>
    selectServers([{ source: 'extension', owner: 'x', file, locate, servers: { a: entry }, written: { a: entry } }]);

  it.each<[object, string[]]>([
    [
      { command: 'x', comand: 'y' },
      ['/f.json: mcpServers.a.comand is unknown and has no effect. Did you mean command?'],
    ],
    [{ command: 'x', disabled: true }, ['/f.json: mcpServers.a.disabled is unknown and has no effect.']],
    [
      { url: 'http://x/', oauth: { clientID: 1 } },
      [expect.stringMatching(/oauth\.clientID .* Did you mean clientId\?$/)],
    ],
    [
      { command: 'x', excludeTools: 5 },
      [expect.stringContaining('excludeTools: expected a list of strings, got 5. Castor')],
    ],
  ])('%j is told', (entry, warnings) => {
    const selection = one(entry);
    expect([names(selection), selection.warnings]).toEqual([['a'], warnings]);
  });

  it('an entry that is no object is told, and starts nothing', () => {
    const file = join(folder, 'ext', 'gemini-extension.json');
    const selection = select({ extensions: { ext: { z: 5, good: { command: 'x' } } as unknown as Servers } });
    expect([names(selection), selection.warnings]).toEqual([
      ['good'],
      [`${file}: mcpServers.z: expected an object, got 5. Castor ignores it.`],
    ]);
    expect(select({ extensions: { ext: 5 as unknown as Servers } }).warnings).toEqual([
      `${file}: mcpServers: expected an object, { … }. Castor starts none of its servers.`,
    ]);
  });

  it('says what is used instead, by line', () => {
    const { servers, warnings } = one({ command: 'x', args: ['-p', 80], timeout: '5' }, (key) => `/f.json:7(${key})`);
    expect(servers).toMatchObject([{ address: { args: ['-p', '80'] }, timeoutMs: 5 }]);
    expect(warnings).toEqual([
      '/f.json:7(a.args.1): mcpServers.a.args.1: expected a string, got 80. Castor uses "80".',
      '/f.json:7(a.timeout): mcpServers.a.timeout: expected a number of at least 0, got "5". Castor uses 5.',
    ]);
  });
});
