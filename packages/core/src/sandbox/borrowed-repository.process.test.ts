/** A worktree that Castor made: its commands commit there, and reach no branch, tag, stash, note or log of the repository. */

import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseOutsideTmp, openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';
import type { TestSandboxOptions } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
const NAME = { GIT_AUTHOR_NAME: 'n', GIT_AUTHOR_EMAIL: 'e', GIT_COMMITTER_NAME: 'n', GIT_COMMITTER_EMAIL: 'e' };
const REPOSITORY = [
  'git init -q -b main . && echo 1 > a && git add a && git commit -qm one && echo 2 > a && git commit -qam two',
  'git branch other && git tag v1 && git notes add -m noted && echo 3 > a && git stash -q',
].join(' && ');
/** What the user would miss. */
const STATE = [
  'git for-each-ref --format="%(refname) %(objectname)"; git stash list; git notes list',
  'cat .git/HEAD; git status --short; find .git/refs .git/logs -type f | sort | xargs sha256sum',
].join('; ');

/** The workspace is a worktree of a repository beside it. */
async function openWorktree(options: TestSandboxOptions) {
  const box = await openTestSandbox({ base: baseOutsideTmp(), ...options });
  const repository = join(dirname(box.root), 'repository');
  const outside = (line: string) =>
    execFileSync('/bin/bash', ['-ec', line], {
      ...{ cwd: repository, encoding: 'utf8', stdio: 'pipe' },
      env: { PATH: process.env['PATH'], HOME: box.home, ...NAME },
    });
  execFileSync('mkdir', [repository]);
  outside(`${REPOSITORY} && git worktree add -q --detach '${box.root}'`);
  return { box, outside, inside: (line: string) => box.run(line, { environment: NAME }) };
}

describe.skipIf(reason !== undefined)(
  `a borrowed repository${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it('keeps its branches, tags, stash, notes and their logs', async () => {
      const { box, outside, inside } = await openWorktree({ borrowsRepository: true });
      using _box = box;
      const before = outside(STATE);
      const attempts = [
        'git stash drop',
        'git stash clear',
        'git update-ref refs/heads/main HEAD~1',
        'git update-ref --no-deref refs/stash HEAD',
        'git branch new',
        'git branch -f other HEAD~1',
        'git branch -D other',
        'git branch -m other another',
        'git tag new',
        'git tag -d v1',
        'git notes add -f -m other',
        'git notes remove',
        'git checkout -q -b new',
        'git reflog expire --expire=now --all refs/heads/main',
        'git pack-refs --all --prune',
        'git symbolic-ref HEAD refs/heads/other && git commit -q --allow-empty -m moved',
        'rm -rf "$(git rev-parse --git-common-dir)/refs"',
        'mv "$(git rev-parse --git-common-dir)/logs" /tmp/logs',
        'echo > "$(git rev-parse --git-common-dir)/refs/heads/main"',
      ];
      for (const line of attempts) expect((await inside(line)).code, line).not.toBe(0);
      expect(outside(STATE)).toBe(before);
      // Its own HEAD names the branch by now, and the disk is looked at again.
      box.sandbox.refresh();
      expect((await inside('git commit -q --allow-empty -m moved')).code).not.toBe(0);
      expect(outside(STATE)).toBe(before);
    });

    it('takes commits of the worktree, and refuses a stash before it touches a file', async () => {
      const { box, outside, inside } = await openWorktree({ borrowsRepository: true });
      using _box = box;
      const before = outside(STATE);
      const work = [
        'echo new > b && git add b && git commit -qm b && echo 9 > a && git commit -qam nine',
        'git commit -q --amend -m "nine again" && git revert --no-edit HEAD >/dev/null && git reset -q --hard HEAD~1',
        'git cherry-pick HEAD~1 >/dev/null 2>&1 || git cherry-pick --skip || git cherry-pick --quit',
        'git log --format=%s -3 && git status --short && git diff --stat && git reflog -1 >/dev/null && cat a b',
      ];
      const { code, stdout, stderr } = await inside(work.join('\n'));
      expect([code, stdout], stderr).toEqual([0, 'nine again\nb\ntwo\n9\nnew\n']);
      const stash = await inside('echo mine > a; git stash; echo "$?"; cat a');
      expect(stash.stdout).toBe('1\nmine\n');
      expect(stash.stderr).toBe('Cannot save the current status\n');
      expect(outside(STATE)).toBe(before);
    });

    it('lets a worktree of the user make a branch', { tags: 'wide' }, async () => {
      const { box, outside, inside } = await openWorktree({});
      using _box = box;
      expect((await inside('git checkout -q -b mine && git commit -q --allow-empty -m made')).code).toBe(0);
      expect(outside('git log --format=%s -1 mine')).toBe('made\n');
    });
  },
);
