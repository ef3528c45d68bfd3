import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { writeTar } from './archive.fixture.ts';
import { openManager } from './manager.fixture.ts';

const { signal } = new AbortController();
const manifest = (version = '1.0.0', more: object = {}) => JSON.stringify({ name: 'cloud', version, ...more });
const HOOKS = JSON.stringify({
  hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'node ${extensionPath}/a.js' }] }] },
});

function git(cwd: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...words], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' },
  });
}

/** A repository with one commit. */
async function createRepository(files: Record<string, string>) {
  const workspace = await createWorkspace({ files });
  git(workspace.project, 'init', '-q');
  git(workspace.project, 'add', '-A');
  git(workspace.project, 'commit', '-qm', 'first');
  return workspace;
}

describe('installing', () => {
  it('a folder asks once, copies it whole and enables it', async () => {
    await using source = await createWorkspace({
      files: { 'gemini-extension.json': manifest(), 'hooks/hooks.json': HOOKS, 'a.js': '1' },
    });
    chmodSync(join(source.project, 'a.js'), 0o755);
    await using home = await createWorkspace();
    const opened = openManager(home);
    expect(await opened.manager.install({ source: source.project }, signal)).toBe('cloud');
    expect(opened.pages).toHaveLength(1);
    expect(opened.pages[0]).toContain('SessionStart: node ${extensionPath}/a.js');
    const folder = join(home.home, '.gemini/extensions/cloud');
    expect(JSON.parse(readFileSync(join(folder, '.gemini-extension-install.json'), 'utf8'))).toEqual({
      source: source.project,
      type: 'local',
    });
    expect(statSync(join(folder, 'a.js')).mode & 0o111).not.toBe(0);
    expect(opened.extension()).toMatchObject({ name: 'cloud', consent: 'known', isEnabled: true });
    expect(readdirSync(join(home.home, '.gemini/castor-extension-staging'))).toEqual([]);
    expect(statSync(join(home.home, '.gemini/castor-extensions.json')).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing behind when the user refuses, the source is unusable or the program is interrupted', async () => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': manifest() } });
    await using home = await createWorkspace({ files: { 'empty/x': '' } });
    const refusing = openManager(home, { answer: false });
    await expect(refusing.manager.install({ source: source.project }, signal)).rejects.toThrow(
      'Installation cancelled for "cloud".',
    );
    const { manager } = openManager(home);
    await expect(manager.install({ source: join(home.project, 'empty') }, signal)).rejects.toThrow(
      /Configuration file not found/,
    );
    await expect(manager.install({ source: 'nowhere' }, signal)).rejects.toThrow('Install source not found.');
    await expect(manager.install({ source: source.project, ref: 'x' }, signal)).rejects.toThrow(
      '--ref and --auto-update are not applicable for local extensions.',
    );
    await expect(manager.install({ source: source.project }, AbortSignal.abort())).rejects.toThrow(/abort/i);
    expect(existsSync(join(home.home, '.gemini/extensions'))).toBe(false);
    expect(readdirSync(join(home.home, '.gemini/castor-extension-staging'))).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['no name', '{"version":"1"}', /Invalid configuration in .*gemini-extension\.json: missing "name"/],
    ['no version', '{"name":"a"}', /missing "version"/],
    ['a name that is a path', '{"name":"../a","version":"1"}', /Invalid extension name: "\.\.\/a"/],
    [
      'a context file outside',
      '{"name":"a","version":"1","contextFileName":"../x.md"}',
      /"\.\.\/x\.md" is outside the extension/,
    ],
    [
      'a setting without a variable',
      '{"name":"a","version":"1","settings":[{"name":"k","envVar":"a b"}]}',
      /settings\[0\]: "envVar"/,
    ],
    ['a syntax error', '{"name":', /gemini-extension\.json:1:/],
  ])('a manifest with %s is refused by its file', async (_, text, words) => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': text } });
    await using home = await createWorkspace();
    const installing = openManager(home).manager.install({ source: source.project }, signal);
    const { message } = await installing.then(
      () => expect.fail('It was installed.'),
      (error: unknown) => error as Error,
    );
    expect(message).toMatch(words);
    expect(message.startsWith(`${source.project}: `)).toBe(true);
    expect(message).not.toContain('staging');
  });

  it('refuses links out of a folder, pipes, and a name that is taken', async () => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': manifest() } });
    await using home = await createWorkspace();
    const { manager } = openManager(home);
    symlinkSync('/etc/passwd', join(source.project, 'out'));
    await expect(manager.install({ source: source.project }, signal)).rejects.toThrow(
      /links to \/etc\/passwd, outside the extension/,
    );
    rmSync(join(source.project, 'out'));
    execFileSync('mkfifo', [join(source.project, 'pipe')]);
    await expect(manager.install({ source: source.project }, signal)).rejects.toThrow(/is not a regular file/);
    rmSync(join(source.project, 'pipe'));
    await manager.install({ source: source.project }, signal);
    await expect(manager.install({ source: source.project }, signal)).rejects.toThrow(
      'Extension "cloud" is already installed. Please uninstall it first.',
    );
  });

  it('an archive lifts its only folder, and names what it tried otherwise', async () => {
    await using home = await createWorkspace();
    const { manager, extension } = openManager(home);
    const file = writeTar(join(home.project, 'a.tar.gz'), [
      { path: 'cloud-1.0/gemini-extension.json', text: manifest() },
    ]);
    await manager.install({ source: file }, signal);
    expect(extension()).toMatchObject({
      manifest: { version: '1.0.0' },
      installation: { type: 'local', source: file },
    });
    const other = writeTar(join(home.project, 'b.tar.gz'), [
      { path: 'docs/readme', text: 'x' },
      { path: 'src/x', text: 'x' },
    ]);
    await expect(manager.install({ source: other }, signal)).rejects.toThrow(
      /no gemini-extension\.json at its top.*Its top holds: docs, src\./,
    );
  });

  it('follows the settings about sources', async () => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': manifest() } });
    await using home = await createWorkspace();
    const allowed = { allowedExtensions: ['^https://github\\.com/us/'], blocksGit: false };
    await expect(openManager(home, allowed).manager.install({ source: source.project }, signal)).rejects.toThrow(
      /is not allowed by the "allowedExtensions" security setting\./,
    );
    const blocked = openManager(home, { allowedExtensions: [], blocksGit: true }).manager;
    await expect(blocked.install({ source: 'https://example.invalid/x.git' }, signal)).rejects.toThrow(
      'Installing extensions from remote sources is disallowed by your current settings.',
    );
  });
});

describe('a git repository', () => {
  it('is fetched at a ref, without its hooks, filters, submodules or the configuration of the user', async () => {
    await using repository = await createRepository({
      'gemini-extension.json': manifest(),
      '.gitattributes': '* filter=evil diff=evil\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/never"\n',
    });
    git(repository.project, 'tag', 'v1');
    writeFileSync(join(repository.project, 'gemini-extension.json'), manifest('2.0.0'));
    git(repository.project, 'commit', '-qam', 'second');
    await using home = await createWorkspace({
      homeFiles: {
        '.gitconfig':
          '[core]\n\thooksPath = ~/hooks\n\tfsmonitor = touch canary\n[filter "evil"]\n\tsmudge = touch canary\n\trequired = true\n',
        'hooks/post-checkout': '#!/bin/sh\ntouch canary\n',
        'hooks/reference-transaction': '#!/bin/sh\ntouch canary\n',
      },
    });
    for (const hook of ['post-checkout', 'reference-transaction']) chmodSync(join(home.home, 'hooks', hook), 0o755);
    const inherited = {
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/nowhere',
      GIT_EXTERNAL_DIFF: 'touch canary',
      GIT_SSH_COMMAND: 'touch canary',
    };
    const opened = openManager(home, { environment: inherited });
    await opened.manager.install({ source: `file://${repository.project}`, ref: 'v1' }, signal);
    const folder = join(home.home, '.gemini/extensions/cloud');
    expect(opened.extension()).toMatchObject({
      manifest: { version: '1.0.0' },
      installation: { type: 'git', ref: 'v1' },
    });
    expect(opened.extension()?.record?.commit).toBe(git(repository.project, 'rev-parse', 'v1').trim());
    expect(existsSync(join(folder, 'x'))).toBe(false);
    const found = execFileSync('find', [home.home, home.project, repository.project, '-name', 'canary'], {
      encoding: 'utf8',
    });
    expect(found).toBe('');
  });

  it.each<[string, string, RegExp]>([
    ['a transport that runs programs', 'ssh://-oProxyCommand=touch/x', /Invalid address/],
    ['a host that is an option', 'git@-oProxyCommand:x', /Invalid address/],
    ['a repository that is not there', 'file:///nowhere/x.git', /git failed: .*does not appear to be a git repository/],
  ])('is refused with %s', async (_, source, words) => {
    await using home = await createWorkspace();
    await expect(openManager(home).manager.install({ source }, signal)).rejects.toThrow(words);
  });

  it('is refused with a ref that is an option or missing', async () => {
    await using repository = await createRepository({ 'gemini-extension.json': manifest() });
    await using home = await createWorkspace();
    const source = `file://${repository.project}`;
    const { manager } = openManager(home);
    await expect(manager.install({ source, ref: '--upload-pack=touch x' }, signal)).rejects.toThrow(/Invalid ref/);
    await expect(manager.install({ source, ref: 'nowhere' }, signal)).rejects.toThrow(/git failed: .*nowhere/);
    await expect(manager.install({ source: 'ext::sh -c touch% x' }, signal)).rejects.toThrow(
      'Install source not found.',
    );
  });

  it('is updated to its newest commit, after a check without a clone', async () => {
    await using repository = await createRepository({ 'gemini-extension.json': manifest() });
    await using home = await createWorkspace();
    const { manager, extension, check } = openManager(home);
    await manager.install({ source: `file://${repository.project}` }, signal);
    expect(await check()).toEqual({ state: 'up to date' });
    expect(await manager.update(extension()!, signal)).toBeUndefined();
    writeFileSync(join(repository.project, 'gemini-extension.json'), manifest('1.1.0'));
    git(repository.project, 'commit', '-qam', 'second');
    expect(await check()).toEqual({ state: 'update available' });
    expect(await manager.update(extension()!, signal)).toEqual({ name: 'cloud', before: '1.0.0', after: '1.1.0' });
    expect([await check(), extension()?.consent]).toEqual([{ state: 'up to date' }, 'known']);
  });
});

describe('updating', () => {
  it('asks about what differs, keeps the values of settings, and keeps the old version when refused', async () => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': manifest(), 'GEMINI.md': 'a' } });
    await using home = await createWorkspace();
    const opened = openManager(home);
    await opened.manager.install({ source: source.project }, signal);
    const folder = join(home.home, '.gemini/extensions/cloud');
    writeFileSync(join(folder, '.env'), 'TOKEN=1\n');
    writeFileSync(join(source.project, 'GEMINI.md'), 'b');
    expect(await opened.manager.update(opened.extension()!, signal)).toMatchObject({ after: '1.0.0' });
    expect(opened.pages).toHaveLength(1);
    writeFileSync(
      join(source.project, 'gemini-extension.json'),
      manifest('2.0.0', { mcpServers: { s: { command: 'node', args: ['x y'] } } }),
    );
    const refusing = openManager(home, { answer: false });
    await expect(refusing.manager.update(refusing.extension()!, signal)).rejects.toThrow(/cancelled/);
    expect(refusing.pages[0]).toContain(
      'What changes:\n+ This extension will run the following MCP servers:\n+   * s (local): node "x y"',
    );
    expect(refusing.extension()).toMatchObject({ consent: 'known', manifest: { version: '1.0.0' } });
    expect(await opened.manager.update(opened.extension()!, signal)).toMatchObject({ before: '1.0.0', after: '2.0.0' });
    expect([readFileSync(join(folder, '.env'), 'utf8'), readFileSync(join(folder, 'GEMINI.md'), 'utf8')]).toEqual([
      'TOKEN=1\n',
      'b',
    ]);
  });

  it('follows an extension that moved and was renamed, with its enablement', async () => {
    await using next = await createWorkspace({
      files: { 'gemini-extension.json': JSON.stringify({ name: 'sky', version: '1' }) },
    });
    await using source = await createWorkspace({
      files: { 'gemini-extension.json': manifest('1.0.0', { migratedTo: next.project }) },
    });
    await using home = await createWorkspace();
    const opened = openManager(home);
    await opened.manager.install({ source: source.project }, signal);
    expect(await opened.check()).toEqual({ state: 'update available' });
    expect(await opened.manager.update(opened.extension()!, signal)).toMatchObject({ name: 'sky' });
    expect(opened.pages[1]).toContain('Migrating extension "cloud" to "sky"');
    expect(opened.extension()).toMatchObject({ name: 'sky', installation: { source: next.project } });
    const rules = JSON.parse(
      readFileSync(join(home.home, '.gemini/extensions/extension-enablement.json'), 'utf8'),
    ) as object;
    expect(Object.keys(rules)).toEqual(['sky']);
    expect(readdirSync(join(home.home, '.gemini/extensions')).toSorted()).toEqual(['extension-enablement.json', 'sky']);
  });

  it('is refused for a changed, a linked and a copied extension', async () => {
    await using source = await createWorkspace({ files: { 'gemini-extension.json': manifest() } });
    await using home = await createWorkspace();
    const { manager, extension } = openManager(home);
    await manager.install({ source: source.project }, signal);
    writeFileSync(join(extension()!.folder, 'new.js'), 'x');
    await expect(manager.update(extension()!, signal)).rejects.toThrow(
      /Extension cloud cannot be updated\. Extension integrity cannot be verified\./,
    );
    await manager.uninstall(extension()!);
    expect([extension(), existsSync(join(home.home, '.gemini/extensions/cloud'))]).toEqual([undefined, false]);
    await manager.link(source.project);
    await expect(manager.update(extension()!, signal)).rejects.toThrow(/is linked/);
  });
});
