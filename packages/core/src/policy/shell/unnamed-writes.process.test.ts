import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';
import type { PolicyRule } from '../rule.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-unnamed-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const home = join(base, 'home');
const root = join(home, 'project');
mkdirSync(join(root, 'src'), { recursive: true });
mkdirSync(join(root, 'secret', 'deep'), { recursive: true });
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root, stdio: 'pipe' });

git('init', '-q', '-b', 'main');
write('src/a.ts', 'one\n');
write('.gitignore', '.env\nsecret\n*.patch\nalias\n');
git('add', '-A');
git('commit', '-qm', 'first');
git('checkout', '-q', '-b', 'plain');
write('src/a.ts', 'two\n');
git('commit', '-qam', 'plain');
git('checkout', '-q', '-b', 'evil', 'main');
write('.env', 'KEY=evil\n');
git('add', '-f', '.env');
git('commit', '-qm', 'evil');
git('checkout', '-q', 'main');
git('update-ref', 'refs/remotes/origin/distant', 'evil');
write('.env', 'KEY=mine\n');
write('secret/deep/.env', 'KEY=evil\n');
write('evil.patch', '--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-KEY=mine\n+KEY=evil\n');
write('escaped.patch', '--- "a/\\056env"\n+++ "b/\\056env"\n@@ -1 +1 @@\n-KEY=mine\n+KEY=evil\n');
write('plain.patch', '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-one\n+two\n');
linkSync(join(root, '.env'), join(root, 'alias'));

function ruleFor(commandPrefix?: string): PolicyRule {
  const rule: PolicyRule = {
    toolName: 'run_shell_command',
    decision: 'allow',
    priority: 4.1,
    kind: 'user',
    source: { name: 'test.toml', line: 1 },
  };
  return commandPrefix === undefined ? rule : { ...rule, commandPrefix };
}

async function decide(command: string, rule = ruleFor(), mode: 'default' | 'yolo' = 'default') {
  const engine = new PolicyEngine({ rules: [...BUILTIN_RULES, rule], root, home });
  const call = { toolName: 'run_shell_command', args: { command } };
  return (await engine.check(call, { mode, interactive: true })).decision;
}

describe('a file .env that the line does not name', () => {
  it.each([
    ...['tar xzf a.tgz', 'tar -x -f a.tgz', 'curl -s x | tar xz', 'unzip a.zip', '7z x a.7z', 'cpio -id < a'],
    ...['patch -p1 < evil.patch', 'patch -p1 -i evil.patch', 'git apply evil.patch', 'git apply escaped.patch'],
    ...['cat plain.patch | git apply', 'cp evil.patch plain.patch && git apply plain.patch', 'git am < evil.patch'],
    ...[
      'git checkout evil',
      'git checkout distant',
      'git checkout -',
      'git checkout $branch',
      'git switch evil',
      'git checkout evil -- .',
    ],
    ...['git restore --source=evil .', 'git reset --hard evil', 'git read-tree -u -m evil', 'git merge evil'],
    ...['git cherry-pick evil', 'git cherry-pick main..evil', 'git rebase evil', 'git clean -fdx', 'git stash -a'],
    ...['git branch -f plain evil && git checkout plain', 'git pull ../other main'],
    ...['git pull', 'git pull origin main', 'git pull --rebase', 'git -C src pull', 'git subtree pull x main'],
    ...['gh pr checkout 12', 'hg update', 'svn update', 'git lfs pull origin $x', 'git submodule update --remote'],
    ...['vercel env pull', 'npx vercel env pull', 'php artisan key:generate', 'npx prisma init', 'dotenv set A b'],
    ...[
      'docker cp box:/app/. .',
      'kubectl cp pod:/app .',
      'aws s3 sync s3://b .',
      'rclone copy far: .',
      'wget -r x.org',
      'npx degit a/b .',
    ],
    ...['mv src ../old && git clone https://x.org/y .', 'git clone https://x.org/y $d', 'git worktree add $d plain'],
    ...['cp -r secret/. .', 'cp -a secret/deep/. .', 'rsync -a secret/ .', 'rsync -a host:secret/ .', 'cp -r $d/. .'],
    ...['echo KEY=evil > alias', 'cp src/a.ts alias'],
  ])('is asked about before a command may write it: %s', async (command) => {
    expect(await decide(command)).toBe('ask_user');
  });

  it.each([
    ...['tar tzf a.tgz', 'tar xzf a.tgz -O', 'tar czf a.tgz src', 'tar xzf a.tgz -C /tmp/castor-x', 'unzip -l a.zip'],
    ...['patch -p1 < plain.patch', 'git apply plain.patch', 'git apply --check evil.patch', 'git am plain.patch'],
    ...['git checkout plain', 'git switch plain', 'git checkout -b topic', 'git checkout -b topic plain'],
    ...['git checkout src/a.ts', 'git merge plain', 'git cherry-pick plain'],
    ...['git stash', 'git rebase plain', 'git fetch origin', 'git submodule update', 'git submodule status'],
    ...['git clone https://x.org/y', 'git clone --depth 1 -b main https://x.org/y lib', 'git clone https://x.org/y .'],
    ...['npx degit a/b lib', 'gh pr view 12', 'aws s3 ls', 'vercel deploy', 'wget https://x.org/a.zip'],
    ...['npm run build && cp -r src/. dist', 'mkdir -p dist && cp -r src dist', 'rsync -a src/ dist/', 'cp src/a.ts b'],
  ])('leaves the other forms alone: %s', async (command) => {
    expect(await decide(command)).toBe('allow');
  });

  it.each([
    ['tar xzf', 'tar xzf a.tgz'],
    ['git apply', 'git apply evil.patch'],
    ['git checkout', 'git checkout evil'],
    ['git pull', 'git pull origin main'],
    ['gh pr checkout', 'gh pr checkout 12'],
    ['vercel env pull', 'vercel env pull'],
    ['unzip', 'unzip a.zip'],
  ])('is covered by a rule for %s', async (prefix, command) => {
    expect(await decide(command, ruleFor(prefix))).toBe('allow');
  });

  it('is not covered by a rule for the program alone', async () => {
    expect(await decide('git checkout evil', ruleFor('git'))).toBe('ask_user');
  });

  it('is asked about when an empty workspace becomes a clone', async () => {
    const empty = join(base, 'empty');
    mkdirSync(empty, { recursive: true });
    const engine = new PolicyEngine({ rules: [...BUILTIN_RULES, ruleFor()], root: empty, home });
    const decideHere = async (command: string) =>
      (await engine.check({ toolName: 'run_shell_command', args: { command } }, { mode: 'default', interactive: true }))
        .decision;
    expect(await decideHere('git clone https://x.org/y .')).toBe('ask_user');
    expect(await decideHere('git clone https://x.org/y')).toBe('allow');
  });

  it('names the way to see what a pull brings', async () => {
    const engine = new PolicyEngine({ rules: [...BUILTIN_RULES, ruleFor()], root, home });
    const call = { toolName: 'run_shell_command', args: { command: 'git pull' } };
    const { decision, denyMessage } = await engine.check(call, { mode: 'default', interactive: false });
    expect([decision, denyMessage]).toEqual(['deny', expect.stringContaining('git fetch')]);
    expect(denyMessage).toContain('git merge @{upstream}');
  });

  it('may be written in yolo mode', async () => {
    expect(await decide('git checkout evil', ruleFor(), 'yolo')).toBe('allow');
  });
});
