import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Source } from '../protocol/source.ts';
import { describeTarget, sessionRule, targetsOfAlways } from './always-rule.ts';
import { PolicyEngine } from './policy-engine.ts';
import { loadPolicies } from './policy-loader.ts';
import type { PolicyCall } from './rule.ts';
import { savedRulesPath, saveRules } from './saved-rules.ts';

const shell = (command: string): PolicyCall => ({ toolName: 'run_shell_command', args: { command } });
const write = (path: string): PolicyCall => ({ toolName: 'write_file', args: { file_path: path, content: 'x' } });

async function restart(home: string, project = 'project') {
  const user: Source = { kind: 'user', name: 'user', directory: join(home, '.gemini'), trusted: true };
  const { rules, problems } = await loadPolicies({ sources: [user], platform: 'linux' });
  const engine = new PolicyEngine({ rules, root: join(home, project), home });
  const decide = async (call: PolicyCall) =>
    (await engine.check(call, { mode: 'default', interactive: true })).decision;
  return { decide, problems };
}

async function always(home: string, call: PolicyCall) {
  return saveRules(
    savedRulesPath(home),
    await targetsOfAlways(call, 'proceed_always_and_save', join(home, 'project')),
    'default',
  );
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'castor-policy-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

describe('an answer to keep', () => {
  it.each([
    [
      'npm test',
      ['npm test', 'npm test -- --watch', 'timeout 5 npm test'],
      ['npm publish', 'npm test; rm x', 'npm test > out'],
    ],
    ['git commit -m "a b"', ['git commit -m "a b"', 'git commit --amend'], ['git push', 'git -c core.pager=x commit']],
    ['rm -rf build', ['rm -rf build'], ['rm -rf build src', 'rm -rf src', 'rm -rf /']],
    ['curl https://a.example', ['curl https://a.example'], ['curl https://b.example', 'curl https://a.example -o x']],
    [
      'npm run build && npm run lint',
      ['npm run build', 'npm run lint', 'npm run lint && npm run build'],
      ['npm run deploy'],
    ],
    ['git push origin main', ['git push origin main'], ['git push --force origin main', 'git push origin other']],
    ['git branch topic', ['git branch topic'], ['git branch -D main']],
    ['aws s3 ls', ['aws s3 ls'], ['aws s3 rm s3://a --recursive', 'aws --profile b s3 ls']],
    ['systemctl status a', ['systemctl status a'], ['systemctl stop a']],
    ['gh pr view 1', ['gh pr view 1', 'gh pr view 2'], ['gh pr merge 1', 'gh repo delete a']],
    ['make test', ['make test'], ['make test deploy', 'make deploy']],
    [
      'echo "$(npm view a version)" <(npm test)',
      ['echo "$(npm view a version)" <(npm test)', 'npm test', 'echo $(npm view b)'],
      ['echo "$(npm view a; curl x)"', 'echo $(npm install a)'],
    ],
    ['kill $(lsof -t -i:80)', ['kill $(lsof -t -i:80)'], ['kill $(lsof -t -i:81)', 'kill 1']],
    ['./gradlew test', ['./gradlew test'], ['./gradlew test publish']],
    ['npm install left-pad', ['npm install left-pad'], ['npm install other']],
    ['touch a', ['touch a', 'touch b'], ['touch .git/hooks/a', 'touch a > b']],
    ['redis-cli get a', ['redis-cli get a'], ['redis-cli flushall']],
    ['sudo apt-get update', ['sudo apt-get update'], ['sudo apt-get remove x']],
    ['./scripts/check.sh a', ['./scripts/check.sh a', './scripts/check.sh b'], ['./scripts/other.sh']],
    ["python3 -c 'print(1)'", ["python3 -c 'print(1)'"], ["python3 -c 'print(2)'", 'python3 x.py']],
  ])('for %s holds after a restart, and for nothing worse', async (command, allowed, asked) => {
    const home = newHome();
    await always(home, shell(command));
    const { decide, problems } = await restart(home);
    expect(problems).toEqual([]);
    for (const line of allowed) expect([line, await decide(shell(line))]).toEqual([line, 'allow']);
    for (const line of asked) expect([line, (await decide(shell(line))) === 'allow']).toEqual([line, false]);
  });

  it.each(['src/a(1).ts', './src/../src/a(1).ts', 'absolute'])(
    'for a file given as %s holds for that file, however it is named, and for no other project',
    async (given) => {
      const home = newHome();
      const absolute = join(home, 'project/src/a(1).ts');
      await always(home, write(given === 'absolute' ? absolute : given));
      const here = await restart(home);
      for (const name of ['src/a(1).ts', './src/a(1).ts', absolute])
        expect(await here.decide(write(name))).toBe('allow');
      for (const name of ['src/a(1).tsx', 'x/src/a(1).ts', `${absolute}/../b`])
        expect(await here.decide(write(name))).toBe('ask_user');
      const elsewhere = await restart(home, 'other');
      expect(await elsewhere.decide(write('src/a(1).ts'))).toBe('ask_user');
    },
  );

  it('is nothing for a command that cannot be read', async () => {
    for (const command of ['$X y', 'echo "', 'eval "$X"; $Y', '$(cat x) y', 'sh -c "$(cat x)"', 'npm $(cat x)'])
      expect(await targetsOfAlways(shell(command), 'proceed_always', '/project')).toEqual([]);
  });

  it('for a server names the server', async () => {
    const call = { toolName: 'mcp_s_t', args: {}, mcpServer: 's' };
    expect(await targetsOfAlways(call, 'proceed_always_server', '/project')).toEqual([{ toolName: '*', mcpName: 's' }]);
    expect(await targetsOfAlways(call, 'proceed_always_tool', '/project')).toEqual([
      { toolName: 'mcp_s_t', mcpName: 's' },
    ]);
  });

  it('for the session holds in its mode and the more permissive ones', async () => {
    const [target] = await targetsOfAlways(shell('npm test'), 'proceed_always', '/project');
    expect(target && sessionRule(target, 'default')).toEqual({
      toolName: 'run_shell_command',
      commandPrefix: 'npm test',
      decision: 'allow',
      priority: 3.95,
      kind: 'user',
      source: { name: 'your answer in this session' },
      modes: ['default', 'autoEdit', 'yolo'],
    });
  });
});

describe('the file of kept answers', () => {
  it("is the owner's only, holds each rule once and keeps every other byte", async () => {
    const home = newHome();
    const path = savedRulesPath(home);
    mkdirSync(dirname(path), { recursive: true });
    const own = '# mine\r\n[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1 # why';
    writeFileSync(path, own);
    expect(await always(home, shell('npm test'))).toBe(1);
    expect(await always(home, shell('npm test'))).toBe(0);
    expect(await always(home, shell('npm test && git commit'))).toBe(1);
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(
      `${own}\n\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "npm test"\ndecision = "allow"\npriority = 100\nmodes = ["default", "autoEdit", "yolo"]\n` +
        `\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git commit"\ndecision = "allow"\npriority = 100\nmodes = ["default", "autoEdit", "yolo"]\n`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['auto-saved.toml']);
  });

  it('is left alone when it has a mistake', async () => {
    const home = newHome();
    const path = savedRulesPath(home);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '[[rule]\n');
    await expect(always(home, shell('npm test'))).rejects.toThrow('was not changed');
    expect(readFileSync(path, 'utf8')).toBe('[[rule]\n');
  });
});

describe('what an answer to keep is said to be for', () => {
  it.each([
    ['npm test -- --watch', ['npm test *']],
    ['rm -rf "a b"', ["rm -rf 'a b'"]],
    ['ls && touch a.txt && make all', ['touch *', 'make all']],
    ['echo hi > out.txt', []],
  ])('of %s is %j', async (command, described) => {
    const targets = await targetsOfAlways(shell(command), 'proceed_always', '/project');
    expect(targets.map(describeTarget)).toEqual(described);
  });
});
