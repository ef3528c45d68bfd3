/** What no mount protects: planted, linked and special files are moved away after the command, and nothing is left behind. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startInvocation } from '../util/start-invocation.ts';
import { watchPlanted } from './planted-files.ts';
import { baseOutsideTmp, openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';
import type { TestSandbox } from './sandbox.fixture.ts';

const reason = await reasonToSkip();

/** Runs a line, and returns what was moved away, relative to the workspace. */
async function plant(box: TestSandbox, line: string): Promise<string[]> {
  const takePlanted = watchPlanted(box.sandbox, [box.root]);
  await box.run(line);
  return takePlanted().map(({ path }) => path.slice(box.root.length + 1));
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
    [
      'settings on the line of their section',
      'git init -q . && echo "[core] fsmonitor = /tmp/x" >> .git/config',
      ['.git/config'],
    ],
    ['an address that names a program', 'git init -q . && git remote add o "ext::sh -c x"', ['.git/config']],
    ['a program for pages', 'git init -q . && git config pager.log /tmp/x', ['.git/config']],
    ['another repository in its place', 'git init -q . && echo /tmp/x > .git/commondir', ['.git/commondir']],
    ['an include', 'git init -q . && git config include.path /tmp/x', ['.git/config']],
    [
      'a new repository alone',
      'git init -q . && git config user.name Me && git remote add o https://example.org/a.git && git config branch.main.merge refs/heads/main',
      [],
    ],
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

/** Each is a way to have the user's own `git status` or commit run a program. */
describe.skipIf(reason !== undefined)('what git obeys', () => {
  const ME = '-c user.name=Me -c user.email=me@example.org -c protocol.file.allow=always';
  const EVIL = 'printf "[core]\\n\\tfsmonitor = touch $PWD/ran; false\\n"';

  /** Makes a repository outside the sandbox, plants inside, and returns whether `git status` outside ran what was planted. */
  async function runsPlanted(setUp: string, line: string): Promise<{ moved: string[]; ran: boolean; status: string }> {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const env = { ...process.env, HOME: box.home, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (script: string) => execFileSync('/bin/bash', ['-ec', script], { cwd: box.root, env, stdio: 'pipe' });
    git(`git init -q -b main . && git ${ME} commit -q --allow-empty -m one && ${setUp}`);
    box.sandbox.refresh();
    const moved = await plant(box, line);
    const status = git('git status --porcelain 2>&1; (cd ../tree && git status) >/dev/null 2>&1 || true');
    const left = git('find . -name ran | wc -l').toString().trim();
    return { moved, ran: left !== '0', status: status.toString() };
  }

  it.each<[what: string, setUp: string, line: string, moved: string[]]>([
    [
      'another repository named by commondir',
      'true',
      `cp -r .git evil; ${EVIL} > evil/config; echo "$PWD/evil" > .git/commondir`,
      ['.git/commondir'],
    ],
    [
      'the settings of a submodule',
      `git init -q ../sub && git -C ../sub ${ME} commit -q --allow-empty -m s && git ${ME} submodule --quiet add ../sub sub && git ${ME} commit -qm sub`,
      `${EVIL} >> .git/modules/sub/config; cp /bin/true .git/modules/sub/hooks/post-checkout; mv .git/modules .git/m2; echo gitdir: evil > sub/.git`,
      [],
    ],
    [
      'a repository that the index names',
      'true',
      `git init -q vendor && git -C vendor ${ME} commit -q --allow-empty -m v && ${EVIL} >> vendor/.git/config && git add vendor`,
      ['vendor/.git/config'],
    ],
    [
      'a repository that the index names, made before',
      `mkdir -p a/b/c/d && git init -q a/b/c/d/e && git -C a/b/c/d/e ${ME} commit -q --allow-empty -m v && git add a`,
      `${EVIL} >> a/b/c/d/e/.git/config`,
      [],
    ],
    [
      'the repository of a worktree',
      'git worktree add -q -b w ../tree',
      `cp -r .git evil; ${EVIL} > evil/config; echo "$PWD/evil" > .git/worktrees/tree/commondir`,
      ['.git/worktrees/tree/commondir'],
    ],
    [
      'a folder of hooks that the settings name',
      'mkdir -p scripts/hooks && git config core.hooksPath scripts/hooks',
      'cp /bin/true scripts/hooks/pre-commit && touch ran',
      [],
    ],
  ])('is not %s', async (_, setUp, line, moved) => {
    const found = await runsPlanted(setUp, line);
    expect(found).toEqual({ moved, ran: false, status: expect.not.stringContaining('fatal') as string });
  });

  it('is not another repository than its own in a worktree whose repository is outside', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const repository = join(box.home, 'repository');
    execFileSync('/bin/bash', [
      '-c',
      `git init -q "${repository}" && cd "${repository}" && git ${ME} commit -q --allow-empty -m one && git worktree add -q -b work "${box.root}"`,
    ]);
    box.sandbox.refresh();
    const { code } = await box.run('echo /tmp/x > "$(git rev-parse --git-dir)/commondir"');
    expect(code).not.toBe(0);
    expect(await plant(box, 'echo evil > "$(git rev-parse --git-dir)/config.worktree"')).toHaveLength(1);
  });

  it('is not behind a link: the link is moved, and nothing behind it', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const foreign = box.write(join(box.home, 'other/.git/config'), '[core]\n\tfsmonitor = mine\n');
    const line = `git init -q -b main . && git init -q real && git -C real ${ME} commit -q --allow-empty -m r && git update-index --add --cacheinfo 160000,$(git -C real rev-parse HEAD),link && ln -s "${dirname(dirname(foreign))}" link`;
    expect(await plant(box, line)).toEqual(['link']);
    expect(existsSync(foreign)).toBe(true);
  });
});

describe.skipIf(reason !== undefined)('a quarantine on another disk', () => {
  const other = '/dev/shm';
  it.skipIf(!existsSync(other))('takes what was planted all the same', async () => {
    const quarantineDirectory = mkdtempSync(join(other, 'castor-quarantine-'));
    try {
      using box = await openTestSandbox({ base: baseOutsideTmp(), quarantineDirectory });
      expect(await plant(box, 'mkdir -p .gemini/a && echo "{}" > .gemini/settings.json; mkfifo .envrc')).toEqual([
        '.gemini',
        '.envrc',
      ]);
      expect(readdirSync(box.root)).toEqual([expect.stringMatching(/^\.envrc\.quarantined-/)]);
      expect(readdirSync(quarantineDirectory)).toEqual([expect.stringMatching(/-\.gemini$/)]);
    } finally {
      rmSync(quarantineDirectory, { recursive: true });
    }
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
