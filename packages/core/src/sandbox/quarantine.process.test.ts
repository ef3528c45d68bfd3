/** What no mount protects: planted, linked and special files are moved away after the command, and nothing is left behind. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startInvocation } from '../util/start-invocation.ts';
import { Quarantine } from './quarantine.ts';
import { baseOutsideTmp, openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';
import type { TestSandbox } from './sandbox.fixture.ts';

const reason = await reasonToSkip();

/** Runs a line, and returns what was moved away, relative to the workspace. */
async function plant(box: TestSandbox, line: string): Promise<string[]> {
  const before = Quarantine.look(box.sandbox.watched());
  await box.run(line);
  return box.sandbox.quarantine.check(before).map(({ path }) => path.slice(box.root.length + 1));
}

describe.skipIf(reason !== undefined)(`quarantine${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it.each<[what: string, line: string, moved: string[]]>([
    ['settings of Castor', 'mkdir .gemini && echo "{}" > .gemini/settings.json', ['.gemini']],
    ['instructions', 'echo evil > AGENTS.md', ['AGENTS.md']],
    ['a workflow', 'mkdir -p .github/workflows && echo evil > .github/workflows/a.yml', ['.github/workflows']],
    ['a FIFO', 'mkfifo .envrc', ['.envrc']],
    ['a link to a place outside', 'ln -s /etc .husky', ['.husky']],
    ['a hook of a new repository', 'git init -q . && echo evil > .git/hooks/pre-commit', ['.git/hooks/pre-commit']],
    ['settings of a new repository', 'git init -q . && git config core.hooksPath /tmp/x', ['.git/config']],
    [
      'settings of a new worktree',
      'git init -q . && printf "[core]\n\thooksPath = /tmp/x\n" > .git/config.worktree',
      ['.git/config.worktree'],
    ],
    ['an include', 'git init -q . && git config include.path /tmp/x', ['.git/config']],
    ['a new repository alone', 'git init -q . && git config user.name Me', []],
    ['nothing', 'echo x > file', []],
  ])('takes %s', async (_, line, moved) => {
    using box = await openTestSandbox();
    expect(await plant(box, line)).toEqual(moved);
    expect(moved.filter((path) => existsSync(join(box.root, path)))).toEqual([]);
  });

  it('gives a protected link its target back', async () => {
    using box = await openTestSandbox({ files: { 'shared/hooks/a': 'mine' } });
    symlinkSync('shared/hooks', join(box.root, '.husky'));
    box.sandbox.refresh();
    expect(await plant(box, 'rm .husky && mkdir .husky && echo evil > .husky/pre-commit')).toEqual(['.husky']);
    expect(readlinkSync(join(box.root, '.husky'))).toBe('shared/hooks');
  });

  it('takes a link in place of a folder, and nothing behind it', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const foreign = box.write(join(box.home, 'other/workflows/ci.yml'), 'mine');
    expect(await plant(box, 'ln -s ../home/other .github')).toEqual(['.github']);
    expect([existsSync(foreign), existsSync(join(box.root, '.github'))]).toEqual([true, false]);
    // The user's own link is left alone, and opens nothing.
    symlinkSync('../home/other', join(box.root, '.github'));
    box.sandbox.refresh();
    expect(await plant(box, 'echo evil > .github/made; true')).toEqual([]);
    expect([existsSync(foreign), existsSync(join(box.home, 'other/made'))]).toEqual([true, false]);
  });

  it('starts with a protected path that is a dangling link', async () => {
    using box = await openTestSandbox();
    symlinkSync('/nowhere', join(box.root, '.vscode'));
    box.sandbox.refresh();
    expect((await box.run('echo fine')).stdout).toBe('fine\n');
    expect(lstatSync(join(box.root, '.vscode')).isSymbolicLink()).toBe(true);
  });

  it('protects what appeared, from the next command on', async () => {
    using box = await openTestSandbox();
    await plant(box, 'git init -q .');
    box.sandbox.refresh();
    const { code } = await box.run('echo evil > .git/hooks/pre-commit');
    expect([code === 0, existsSync(join(box.root, '.git/hooks/pre-commit'))]).toEqual([false, false]);
  });
});

describe.skipIf(reason !== undefined)('a killed command', () => {
  it('leaves nothing behind: no stub, no process', async () => {
    using box = await openTestSandbox({ files: { a: '1' } });
    const environment = { PATH: process.env['PATH'] ?? '', HOME: box.home };
    const given = { file: '/bin/bash', args: ['-c', 'echo $$; sleep 300'], directory: box.root, environment };
    const invocation = await box.sandbox.confine(given, 'tool');
    const child = startInvocation(invocation, { cwd: box.root, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout!, 'data');
    const left = once(child.stdout!, 'close');
    child.kill('SIGKILL');
    // The pipe closes when the last process inside has ended.
    await left;
    expect(readdirSync(box.root)).toEqual(['a']);
  });
});

describe.skipIf(reason !== undefined)('git in a sandbox', () => {
  const IDENTITY = '-c user.name=Me -c user.email=me@example.org';

  it('adds, commits and rebases, and shows no stub', async () => {
    using box = await openTestSandbox();
    const made = await box.run(
      `git init -q -b main . && echo a > a && git add a && git ${IDENTITY} commit -qm one && echo b > b && git add b && git ${IDENTITY} commit -qm two && git ${IDENTITY} rebase -q --root && git log --oneline | wc -l`,
    );
    expect([made.code, made.stdout.trim()]).toEqual([0, '2']);
    expect((await box.run('git status --porcelain')).stdout).toBe('');
  });

  it('adds a worktree inside, and says why it cannot sign', async () => {
    using box = await openTestSandbox({ homeFiles: { '.gnupg/pubring.kbx': 'mine' }, base: baseOutsideTmp() });
    const made = await box.run(
      `git init -q -b main . && git ${IDENTITY} commit -qm one --allow-empty && git worktree add -q -b w tree && cd tree && echo a > a && git add a && git ${IDENTITY} commit -qm two && git log --oneline | wc -l`,
    );
    expect([made.code, made.stdout.trim()]).toEqual([0, '2']);
    const signed = await box.run(`git ${IDENTITY} commit -S -qm three --allow-empty`);
    const output = `${signed.stdout}${signed.stderr}`;
    expect([signed.code === 0, output]).toEqual([false, expect.stringMatching(/gpg|signing/)]);
  });

  it('commits in a worktree of a repository outside, whose settings and hooks stay as they are', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const repository = join(box.home, 'repository');
    const line = `git init -q -b main "${repository}" && cd "${repository}" && git ${IDENTITY} commit -qm one --allow-empty && git worktree add -q -b work "${box.root}"`;
    execFileSync('/bin/bash', ['-c', line]);
    box.sandbox.refresh();
    const made = await box.run(
      `echo a > a && git add a && git ${IDENTITY} commit -qm two && git log --oneline | wc -l`,
    );
    expect([made.code, made.stdout.trim(), made.stderr]).toEqual([0, '2', '']);
    expect((await box.run('git config core.hooksPath /tmp/x')).code).not.toBe(0);
    expect((await box.run(`echo evil > "${repository}/.git/hooks/pre-commit"`)).code).not.toBe(0);
    expect((await box.run(`echo evil > "${repository}/file"`)).code).not.toBe(0);
  });
});
