import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChildEnvironment } from './child-environment.ts';
import { guardRepository, safeGit } from './safe-git.ts';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';

describe('safeGit', () => {
  let fixture: ShellFixture;
  let repository: string;
  let canary: string;
  let script: string;

  beforeEach(async () => {
    fixture = await createShellFixture();
    repository = join(fixture.directory, 'repository');
    canary = join(fixture.directory, 'canary');
    script = join(fixture.directory, 'evil.sh');
    await mkdir(repository);
    await writeFile(script, `#!/bin/sh\ntouch '${canary}'\ncat 2>/dev/null\nexit 0\n`, { mode: 0o755 });
    git('init', '-q', '-b', 'main');
    await writeFile(join(repository, 'file.txt'), 'one\n');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  function git(...args: string[]): string {
    const identity = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
    const env = { PATH: process.env['PATH'], HOME: fixture.directory, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...identity, ...args], {
      cwd: repository,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  const safe = (...args: [string, ...string[]]) =>
    safeGit(args, { directory: repository, environment: { PATH: process.env['PATH'], HOME: fixture.directory } });

  const configure = (text: string) => appendFile(join(repository, '.git', 'config'), text);

  /** The file looks changed and has to be read again, through every filter and driver. */
  async function touchFile(): Promise<void> {
    await writeFile(join(repository, 'file.txt'), 'two\n');
    await utimes(join(repository, 'file.txt'), new Date(), new Date(Date.now() + 5000));
  }

  const ATTACKS: [name: string, config: () => string, attributes: string, args: [string, ...string[]]][] = [
    ['core.fsmonitor', () => `[core]\n\tfsmonitor = ${script}\n`, '', ['status']],
    [
      'a clean filter',
      () => `[filter "Evil.Name"]\n\tclean = ${script}\n\trequired = true\n`,
      '*.txt filter=Evil.Name\n',
      ['status'],
    ],
    [
      'a clean filter with a plain name',
      () => `[filter "evil"]\n\tclean = ${script}\n`,
      '*.txt filter=evil\n',
      ['diff'],
    ],
    [
      'a filter process',
      () => `[filter "evil"]\n\tprocess = ${script}\n\trequired = true\n`,
      '*.txt filter=evil\n',
      ['status'],
    ],
    ['diff.external', () => `[diff]\n\texternal = ${script}\n`, '', ['diff']],
    ['a diff driver', () => `[diff "evil"]\n\tcommand = ${script}\n`, '*.txt diff=evil\n', ['diff']],
    ['textconv', () => `[diff "evil"]\n\ttextconv = ${script}\n`, '*.txt diff=evil\n', ['diff']],
    ['textconv in the log', () => `[diff "evil"]\n\ttextconv = ${script}\n`, '*.txt diff=evil\n', ['log', '-p']],
    ['an included file', () => `[include]\n\tpath = ${fixture.directory}/included\n`, '', ['status']],
    ['an alias', () => `[alias]\n\tst = !${script}\n`, '', ['st']],
  ];

  describe.each(ATTACKS)('against %s', (_name, config, attributes, args) => {
    beforeEach(async () => {
      await writeFile(join(fixture.directory, 'included'), `[core]\n\tfsmonitor = ${script}\n`);
      await configure(config());
      await mkdir(join(repository, '.git', 'info'), { recursive: true });
      await writeFile(join(repository, '.git', 'info', 'attributes'), attributes);
      await touchFile();
    });

    it('plain git runs the code of the repository', { tags: 'wide' }, () => {
      try {
        git(...args);
      } catch {
        // How it exits does not matter; whether the code ran does.
      }
      expect(existsSync(canary)).toBe(true);
    });

    it('neither does one of a shell in a folder without a trust decision', async () => {
      const base = { PATH: process.env['PATH'], HOME: fixture.directory, GIT_CONFIG_NOSYSTEM: '1' };
      const environment = createChildEnvironment({ base, git: 'guarded' });
      const env = { ...environment, ...(await guardRepository(repository, environment)) };
      try {
        execFileSync('git', args, { cwd: repository, env, stdio: 'ignore' });
      } catch {
        // A driver that was taken away may well make it fail.
      }
      expect(existsSync(canary)).toBe(false);
    });

    it('ours does not', async () => {
      await safe(...args);
      expect(existsSync(canary)).toBe(false);
    });
  });

  it('does not run hooks, neither the usual ones nor those of core.hooksPath', async () => {
    const hooks = join(fixture.directory, 'hooks');
    await mkdir(hooks);
    for (const folder of [hooks, join(repository, '.git', 'hooks')]) {
      await writeFile(join(folder, 'post-checkout'), await readFile(script), { mode: 0o755 });
    }
    await configure(`[core]\n\thooksPath = ${hooks}\n`);
    await safe('checkout', '-q', '-b', 'other');
    expect(existsSync(canary)).toBe(false);
    git('checkout', '-q', '-b', 'third');
    expect(existsSync(canary)).toBe(true);
  });

  it('leaves the settings of the user to the commands of a shell', async () => {
    await writeFile(join(fixture.directory, '.gitconfig'), '[user]\n\tname = Me\n[filter "lfs"]\n\tclean = cat\n');
    await configure('[filter "evil"]\n\tclean = cat\n');
    const base = { PATH: process.env['PATH'], HOME: fixture.directory, GIT_CONFIG_NOSYSTEM: '1' };
    const environment = createChildEnvironment({ base, git: 'guarded' });
    const env = { ...environment, ...(await guardRepository(repository, environment)) };
    const read = (key: string) => execFileSync('git', ['config', key], { cwd: repository, env, encoding: 'utf8' });
    expect(['user.name', 'filter.lfs.clean', 'filter.evil.clean', 'core.hooksPath'].map(read)).toEqual([
      'Me\n',
      'cat\n',
      '\n',
      '/dev/null\n',
    ]);
  });

  it('does not look into submodules, whose configuration is their own', async () => {
    const inner = join(repository, 'inner');
    execFileSync('git', ['init', '-q', inner]);
    execFileSync('git', [
      '-c',
      'user.name=me',
      '-c',
      'user.email=me@example.com',
      '-C',
      inner,
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    ]);
    git('add', 'inner');
    git('commit', '-q', '-m', 'submodule');
    await appendFile(join(inner, '.git', 'config'), `[core]\n\tfsmonitor = ${script}\n`);
    await safe('status', '--porcelain');
    expect(existsSync(canary)).toBe(false);
    git('status', '--porcelain');
    expect(existsSync(canary)).toBe(true);
  });

  it('still says what is true of the repository', async () => {
    await touchFile();
    expect([await safe('status', '--porcelain'), await safe('rev-parse', '--abbrev-ref', 'HEAD')]).toEqual([
      { code: 0, stdout: ' M file.txt\n', stderr: '' },
      { code: 0, stdout: 'main\n', stderr: '' },
    ]);
  });

  it('gives the exit code of a git that refuses', async () => {
    const result = await safe('rev-parse', '--verify', '--quiet', 'no-such-branch');
    expect(result).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it('does not use a git from the folder it looks at', async () => {
    await writeFile(join(repository, 'git'), await readFile(script), { mode: 0o755 });
    await safeGit(['status'], {
      directory: repository,
      environment: { PATH: `${repository}:.:${process.env['PATH']}` },
    });
    expect(existsSync(canary)).toBe(false);
  });

  it('rejects when cancelled', async () => {
    const options = { directory: repository, environment: { PATH: process.env['PATH'] }, signal: AbortSignal.abort() };
    await expect(safeGit(['status'], options)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
