import { describe, expect, it } from 'vitest';
import { BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';

const options = { rules: BUILTIN_RULES, root: '/work/project', home: '/home/me' };

async function decide(command: string, guardsGit = true) {
  const call = { toolName: 'run_shell_command', args: { command } };
  const engine = new PolicyEngine({ ...options, guardsGit });
  return (await engine.check(call, { mode: 'yolo', interactive: false })).decision;
}

describe('git in an undecided folder, in yolo mode', () => {
  it.each([
    ...['cd sub && /usr/bin/git diff', '/usr/bin/git -C sub diff', '/usr/lib/git-core/git-diff --git-dir=x'],
    ...["bash -lc 'cd sub && git diff'", 'bash --login -c "git -C sub status"', "cd sub; sh -l -c 'git diff'"],
    ...['env -i git diff', 'env -i /usr/bin/git status', 'unset ${!GIT_*}; /usr/bin/git diff', 'sudo git status'],
    ...['PATH=/usr/bin git -C sub diff', 'export PATH=/usr/bin:$PATH; cd sub; git diff', 'cd sub; command -p git diff'],
    ...['cd "$(mktemp -d)" && /usr/bin/git status', 'GIT_CONFIG_COUNT=0 /usr/bin/git status'],
    ...['alias git=/usr/bin/git; cd sub; git diff'],
  ])('is denied where the guard does not reach it: %s', async (command) => {
    expect(await decide(command)).toBe('deny');
    expect(await decide(command, false)).toBe('allow');
  });

  it.each([
    ...[
      'git diff',
      'cd sub && git diff',
      'PATH=$PATH:/opt/bin git -C sub diff',
      'git -C sub diff',
      '/usr/bin/git status',
      "bash -lc 'git status'",
    ],
    ...["bash -c 'cd sub && git diff'", 'env -i PATH="$PATH" git status', 'GIT_AUTHOR_NAME=me git commit -m x'],
  ])('runs where the guard applies: %s', async (command) => {
    expect(await decide(command)).toBe('allow');
  });
});
