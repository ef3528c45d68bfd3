import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { writeTar, writeZip } from './archive.fixture.ts';
import { openManager } from './manager.fixture.ts';
import { createReleaseServer } from './release-server.fixture.ts';

const { signal } = new AbortController();
const manifest = (version: string) => JSON.stringify({ name: 'cloud', version });
const RELEASES = '/repos/a/cloud/releases';

/** A home, a server, and a manager that takes it for GitHub. */
async function open(options: { token?: string } = {}) {
  const home = await createWorkspace();
  const repositories = join(home.root, 'repositories');
  const server = await createReleaseServer(repositories);
  const bases = { github: `${server.url}/git`, githubApi: server.url };
  const environment = options.token === undefined ? {} : { GITHUB_TOKEN: options.token };
  const archive = (version: string) => {
    const file = writeTar(join(home.project, `${version}.tar.gz`), [
      { path: 'top/gemini-extension.json', text: manifest(version) },
    ]);
    return readFileSync(file);
  };
  const release = (tag: string, more: object = {}) => ({
    tag_name: tag,
    tarball_url: `${server.url}/tarball/${tag}`,
    assets: [],
    ...more,
  });
  return {
    home,
    server,
    archive,
    release,
    ...openManager(home, { bases, environment }),
    refusing: () => openManager(home, { bases, environment, answer: false }).manager,
    /** A repository that the server offers to git. */
    async createRepository(version: string) {
      const folder = join(repositories, 'a', 'cloud.git');
      await home.write('../repositories/a/cloud.git/gemini-extension.json', manifest(version));
      for (const words of [
        ['init', '-q'],
        ['add', '-A'],
        ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x'],
      ]) {
        execFileSync('git', words, { cwd: folder, env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } });
      }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await home.dispose();
    },
  };
}

describe('a repository on GitHub', () => {
  it('is installed from its latest release, updated to the next, and stays at a tag', async () => {
    await using one = await open({ token: 'secret-token' });
    const { server, manager, extension, check, archive, release } = one;
    server.answers[`${RELEASES}/latest`] = release('v1');
    server.answers['/tarball/v1'] = { redirect: `${server.url.replace('127.0.0.1', 'localhost')}/file/v1` };
    server.answers['/file/v1'] = archive('1.0.0');
    await manager.install({ source: 'a/cloud' }, signal);
    expect(extension()).toMatchObject({
      manifest: { version: '1.0.0' },
      installation: { source: 'https://github.com/a/cloud', type: 'github-release', releaseTag: 'v1' },
    });
    // The token goes to the API, and not to where a download is redirected.
    expect(server.requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      [`${RELEASES}/latest`, 'Bearer secret-token'],
      ['/tarball/v1', 'Bearer secret-token'],
      ['/file/v1', undefined],
    ]);
    expect(await check()).toEqual({ state: 'up to date' });
    server.answers[`${RELEASES}/latest`] = release('v2');
    server.answers['/tarball/v2'] = archive('2.0.0');
    expect(await check()).toEqual({ state: 'update available' });
    expect(await manager.update(extension()!, signal)).toMatchObject({ before: '1.0.0', after: '2.0.0' });
    await manager.uninstall(extension()!);
    server.answers[`${RELEASES}/tags/v1`] = release('v1');
    await manager.install({ source: 'https://github.com/a/cloud', ref: 'v1' }, signal);
    expect([extension()?.manifest.version, await check()]).toEqual(['1.0.0', { state: 'up to date' }]);
  });

  it.each<[string, (platform: string, arch: string) => string[], number | undefined]>([
    [
      'for this machine',
      (platform, arch) => ['other.zip', `${platform}.tar.gz`, `${platform}.${arch}.cloud.tar.gz`],
      2,
    ],
    ['for this system', (platform) => ['other.tar.gz', `${platform}.cloud.tar.gz`], 1],
    ['the only one', () => ['cloud.tar.gz'], 0],
    ['none, so the source', () => ['freebsd.tar.gz', 'plan9.tar.gz'], undefined],
    ['not the only one of another system', () => ['win32.x64.tar.gz'], undefined],
  ])('offers assets, of which Castor takes: %s', async (_, toNames, expected) => {
    await using one = await open();
    const { server, manager, archive, release } = one;
    const names = toNames(process.platform, process.arch);
    const assets = names.map((name, index) => ({ name, url: `${server.url}/asset/${index}` }));
    server.answers[`${RELEASES}/latest`] = release('v1', { assets });
    const taken = expected === undefined ? '/tarball/v1' : `/asset/${expected}`;
    server.answers[taken] = archive('1.0.0');
    await manager.install({ source: 'github:a/cloud' }, signal);
    expect(server.requests.at(-1)?.path).toBe(taken);
  });

  it('without any release is cloned silently, over smart HTTP', async () => {
    await using one = await open();
    await one.createRepository('3.0.0');
    await one.manager.install({ source: 'a/cloud' }, signal);
    expect(one.extension()).toMatchObject({ manifest: { version: '3.0.0' }, installation: { type: 'git' } });
    expect([one.pages.length, await one.check()]).toEqual([1, { state: 'up to date' }]);
  });

  it('with a release that cannot be used asks whether to clone, and names the reason', { tags: 'wide' }, async () => {
    await using one = await open();
    one.server.answers[`${RELEASES}/latest`] = 500;
    await one.createRepository('3.0.0');
    await expect(one.refusing().install({ source: 'a/cloud' }, signal)).rejects.toThrow(
      /releases\/latest answered 500\./,
    );
    await one.manager.install({ source: 'a/cloud' }, signal);
    expect([one.pages[0], one.extension()?.manifest.version]).toEqual([
      expect.stringContaining('answered 500'),
      '3.0.0',
    ]);
  });

  it.each<[string, (one: Awaited<ReturnType<typeof open>>) => void, RegExp]>([
    [
      'is no archive',
      ({ server }) => void (server.answers['/tarball/v1'] = Buffer.from('hello')),
      /^http:.*\/tarball\/v1 is not a valid \.tar\.gz archive/,
    ],
    [
      'is missing',
      ({ server }) => void (server.answers['/tarball/v1'] = 404),
      /Downloading .* failed: the server answered 404\./,
    ],
    [
      'leaves its folder',
      ({ server, home }) => {
        server.answers['/tarball/v1'] = readFileSync(
          writeTar(join(home.project, 'x.tar.gz'), [{ path: '../evil', text: 'x' }]),
        );
      },
      /leaves the archive/,
    ],
    [
      'redirects for ever',
      ({ server }) => void (server.answers['/tarball/v1'] = { redirect: '/tarball/v1' }),
      /redirects more than 10 times/,
    ],
  ])('with a download that %s leaves nothing behind', async (_, prepare, words) => {
    await using one = await open();
    one.server.answers[`${RELEASES}/latest`] = one.release('v1');
    prepare(one);
    await expect(one.manager.install({ source: 'a/cloud' }, signal)).rejects.toThrow(words);
    expect(existsSync(join(one.home.home, '.gemini/extensions'))).toBe(false);
  });
});

describe('an archive at an address', () => {
  it('is downloaded and unpacked; a server that is away is an error', async () => {
    await using one = await open();
    const file = writeZip(join(one.home.project, 'x.zip'), [
      { path: 'gemini-extension.json', text: manifest('1.0.0') },
    ]);
    one.server.answers['/x.zip'] = readFileSync(file);
    await one.manager.install({ source: `${one.server.url}/x.zip` }, signal);
    expect(one.extension()).toMatchObject({ manifest: { version: '1.0.0' }, installation: { type: 'local' } });
    await expect(one.manager.install({ source: 'http://127.0.0.1:1/x.zip' }, signal)).rejects.toThrow(
      /cannot be reached/,
    );
  });
});
