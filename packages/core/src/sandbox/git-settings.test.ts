/** Which settings of a repository count as harmless: those that are known, one a line, and no others. */

import { describe, expect, it } from 'vitest';
import { hooksFolderOf, isHarmlessGitSettings } from './git-settings.ts';

const FRESH = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';

describe('settings of a repository', () => {
  it.each<[what: string, text: string]>([
    ['of a new one', FRESH],
    [
      'of a clone',
      `${FRESH}[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    ],
    ['of a branch', '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'],
    ['of a user', '# mine\n[user]\n\tname = Me\n\temail = me@example.org\n[extensions]\n\tworktreeConfig\n'],
    ['none', ''],
  ])('are harmless: %s', (_, text) => {
    expect(isHarmlessGitSettings(text)).toBe(true);
  });

  it.each([
    '[core]\n\tfsmonitor = x',
    '[core]fsmonitor = x',
    '[core] fsmonitor = x',
    '[CORE]\nHOOKSPATH=x',
    '[core]\n\thooks\\\nPath = x',
    '[core]\n\tbare = false \\\n\tfsmonitor = x',
    '[core]\n\tworktree = /home',
    '[core]\n\talternateRefsCommand = x',
    '[remote "o"]\n\turl = ext::sh -c x',
    '[remote "o"]\n\turl = "ext::sh -c x"',
    '[remote "o"]\n\tvcs = ext',
    '[remote "o"]\n\tuploadpack = x',
    '[submodule "s"]\n\tupdate = !x',
    '[pager]\n\tlog = x',
    '[gpg "ssh"]\n\tdefaultKeyCommand = x',
    '[interactive]\n\tdiffFilter = x',
    '[sendemail]\n\tsmtpServer = /x',
    '[include]\n\tpath = x',
    '[includeIf "gitdir:/"]\n\tpath = x',
    '[alias]\n\tst = !x',
    '[protocol]\n\tallow = always',
    '[branch "a\\"]\n[core] "]\n\tmerge = x',
    'fsmonitor = x',
    '[__proto__]\n\ta = b',
  ])('are harmful: %j', (text) => {
    expect(isHarmlessGitSettings(text)).toBe(false);
  });

  it('of a submodule may name its folder', () => {
    expect(isHarmlessGitSettings(`${FRESH}\tworktree = ../../../sub\n`, true)).toBe(true);
  });

  it('name a folder of hooks', () => {
    expect(hooksFolderOf(`${FRESH}\thooksPath = scripts/hooks\n`)).toBe('scripts/hooks');
    expect(hooksFolderOf('[core]\n\tHooksPath="a b"')).toBe('a b');
    expect(hooksFolderOf(FRESH)).toBeUndefined();
  });
});
