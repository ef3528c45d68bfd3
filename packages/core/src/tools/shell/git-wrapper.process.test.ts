/** Commands in a folder that is not trusted reach other repositories; git runs nothing those configure, and stays git. */

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChildEnvironment } from './child-environment.ts';
import { writeGitWrapper } from './git-wrapper.ts';
import { createShellFixture } from './shell.fixture.ts';
import type { ShellFixture } from './shell.fixture.ts';
import { variants } from '../../../../../test/house/variants.ts';

describe('the git of a folder that is not trusted', () => {
  let fixture: ShellFixture;
  let folder: string;
  let canaries: string;
  let environment: Record<string, string>;

  beforeEach(async () => {
    fixture = await createShellFixture();
    folder = join(fixture.directory, 'folder');
    canaries = join(fixture.directory, 'canaries');
    for (const path of [folder, canaries]) await mkdir(path);
    await createRepository(folder);
    await createRepository(join(folder, 'sub'));
    const base = { PATH: process.env['PATH'], HOME: fixture.directory, GIT_CONFIG_NOSYSTEM: '1' };
    environment = createChildEnvironment({ base, git: 'guarded' });
    const path = writeGitWrapper({ directory: join(fixture.directory, 'bin'), environment, folder });
    environment = { ...environment, PATH: path! };
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const plainGit = (directory: string, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.com', ...words], {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: fixture.directory, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });

  async function createRepository(directory: string): Promise<void> {
    await mkdir(directory, { recursive: true });
    plainGit(directory, 'init', '-q');
    await writeFile(join(directory, 'a.txt'), 'one\n');
    plainGit(directory, 'add', 'a.txt');
    plainGit(directory, 'commit', '-qm', 'first');
  }

  /** Configures programs that leave a canary, and a change that makes git start them. */
  async function plant(directory: string): Promise<void> {
    const program = (name: string) => `"touch '${join(canaries, name)}'; cat"`;
    await appendFile(
      join(directory, '.git', 'config'),
      [
        `[core]\n\tfsmonitor = ${program('fsmonitor')}`,
        `[filter "evil"]\n\tclean = ${program('clean')}`,
        `[diff]\n\texternal = ${program('external')}`,
        `[diff "evil"]\n\ttextconv = ${program('textconv')}\n`,
      ].join('\n'),
    );
    await writeFile(join(directory, '.gitattributes'), '*.txt filter=evil diff=evil\n');
    await writeFile(join(directory, 'a.txt'), 'two\n');
  }

  const run = (command: string, env = environment) =>
    spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8', input: 'from stdin' });

  variants.each([
    'cd sub && git status && git diff && git log -p',
    'git -C sub diff',
    'git --no-pager -c a.b=c -C . -C sub diff',
    'GIT_DIR=sub/.git GIT_WORK_TREE=sub git diff',
    'git --git-dir sub/.git --work-tree sub diff',
    "echo 'cd sub; git diff' > s.sh; sh s.sh",
    'g=gi; cd sub; "${g}t" diff',
    'cd sub; unset ${!GIT_*}; git diff',
    'cd sub; env -i PATH="$PATH" git diff',
  ])('runs nothing that another repository configures: %s', async (command) => {
    await plant(join(folder, 'sub'));
    run(command);
    expect(readdirSync(canaries)).toEqual([]);
    run(command, { ...environment, PATH: process.env['PATH']! });
    expect(readdirSync(canaries)).not.toEqual([]);
  });

  variants.each([
    ['the folder itself', ''],
    ['another repository', 'cd sub; '],
  ])('shows the difference in %s, whatever program is configured for it', async (_, enter) => {
    const repository = enter === '' ? folder : join(folder, 'sub');
    const configs = ['[diff]\n\texternal = false\n', '[diff "evil"]\n\tcommand = false\n\ttextconv = false\n'];
    await writeFile(join(repository, '.gitattributes'), '*.txt diff=evil\n');
    await writeFile(join(repository, 'a.txt'), 'two\n');
    for (const config of configs) {
      await appendFile(join(repository, '.git', 'config'), config);
      const { status, stdout, stderr } = run(`${enter}git diff a.txt`);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[^]*\n-one\n\+two\n$/);
    }
  });

  it('runs nothing that a submodule configures, though .gitmodules asks for its status', { tags: 'wide' }, async () => {
    await writeFile(join(folder, '.gitmodules'), '[submodule "S"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
    plainGit(folder, 'add', '.gitmodules', 'sub');
    plainGit(folder, 'commit', '-qm', 'submodule');
    plainGit(folder, 'config', 'submodule.S.active', 'true');
    await plant(join(folder, 'sub'));
    for (const command of ['git status', "git submodule foreach 'git diff'", 'git diff --ignore-submodules=none'])
      run(command);
    expect(readdirSync(canaries)).toEqual([]);
    plainGit(folder, 'status');
    expect(readdirSync(canaries)).toContain('clean');
  });

  it(
    'keeps the settings of the user, the words of the call, its input and its exit code',
    { tags: 'wide' },
    async () => {
      await writeFile(join(fixture.directory, '.gitconfig'), '[user]\n\tname = Me\n[filter "lfs"]\n\tclean = cat\n');
      expect(run('git config user.name; git config filter.lfs.clean').stdout).toBe('Me\ncat\n');
      expect(
        run(`git config --file "a b" x.y "two  words
and a line"; git config --file "a b" x.y`).stdout,
      ).toBe('two  words\nand a line\n');
      expect(run('git hash-object --stdin').stdout).toBe('a8db5c49a6843440a256be1341b84e09339bdb0c\n');
      expect(run('git rev-parse --verify nothing').status).toBe(128);
      expect(run('git').status).toBe(1);
    },
  );

  it('is not installed where git is missing or only in the folder itself', async () => {
    await writeFile(join(folder, 'git'), '#!/bin/sh\n', { mode: 0o755 });
    const options = { directory: join(fixture.directory, 'none'), folder };
    expect(writeGitWrapper({ ...options, environment: { PATH: `${folder}:.:${canaries}` } })).toBeUndefined();
  });
});
