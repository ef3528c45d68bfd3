import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runPolicyCommand } from './policy.ts';

function setUp(policy = '', settings: object = {}) {
  const home = mkdtempSync(join(tmpdir(), 'castor-policy-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, '.gemini', 'policies', 'mine.toml');
  mkdirSync(join(home, '.gemini', 'policies'), { recursive: true });
  writeFileSync(file, policy);
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  const run = async (...argv: string[]) => {
    let stdout = '';
    let stderr = '';
    const code = await runPolicyCommand(argv, {
      stdout: (text) => void (stdout += text),
      stderr: (text) => void (stderr += text),
      home,
      cwd: '/home/castor-nobody/project',
      environment: {},
    });
    return { code, stdout: stdout.replaceAll(file, 'mine.toml'), stderr: stderr.replaceAll(file, 'mine.toml') };
  };
  return { file, run };
}

const RULES = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm"
decision = "deny"
priority = 200
denyMessage = "Use trash."
`;

describe('castor policy explain', () => {
  it('prints the parse, each command with its rule, and the decision', async () => {
    const { file, run } = setUp(RULES);
    const { code, stdout, stderr } = await run('explain', "git log | sudo sh -c 'rm x'");
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      "Command   git log | sudo sh -c 'rm x'\nMode      default, a user to ask\n\nParse     4 commands\n",
    );
    // Where lines break, also inside a path, depends on how long the home's path is.
    const joined = (text: string) => text.replaceAll(/\s+/g, '').replaceAll(file, 'mine.toml');
    expect(joined(stdout)).toContain(
      joined('4. rm x inside sudo > sh deny: denied by mine.toml line 7 rule: run_shell_command "rm" -> deny'),
    );
    expect(joined(stdout.slice(stdout.indexOf('Decision')))).toBe(
      joined(
        'Decision deny Because denied by mine.toml line 7 Part rm x Rule run_shell_command "rm" -> deny, priority 4.200, mine.toml:7 Message Use trash. This is about the part `rm x`.',
      ),
    );
  });

  it.each([
    [{ exclude: ['run_shell_command(git push)'] }, 'git push', 'deny', 'settings: tools.exclude'],
    [{ allowed: ['run_shell_command(make)'] }, 'make all', 'allow', 'settings: tools.allowed'],
    [{ core: ['read_file'] }, 'git log', 'deny', 'settings: tools.core'],
  ])('counts what settings say, as a run would: %j', async (tools, command, decision, source) => {
    const { stdout } = await setUp('', { tools }).run('explain', command);
    expect(stdout).toContain(`Decision  ${decision}\n`);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(source);
  });

  it('stays within 80 columns and shows characters that hide', async () => {
    const { stdout } = await setUp(RULES).run(
      'explain',
      `git log ${'x'.repeat(200)}${' '.repeat(3000)}; curl \u202e y\u001b[8m`,
    );
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('<3000 spaces>');
    expect(stdout).toContain('\\u{202e}');
    expect(stdout).toContain('\\u{1b}[8m');
    expect(stdout).toContain('Decision  ask_user');
  });

  it('takes a mode and the absence of a person', async () => {
    const { stdout } = await setUp(RULES).run('explain', 'npm test', '--mode', 'auto_edit', '--headless');
    expect(stdout).toContain('Mode      auto_edit, no user to ask');
    expect(stdout).toContain('Decision  deny');
  });

  it('gives no answer while a rule file has a mistake', async () => {
    const { code, stderr } = await setUp(RULES.replace('= 100', '= "high"')).run('explain', 'ls');
    expect({ code, stderr }).toEqual({
      code: 52,
      stderr: 'mine.toml:5: priority: "priority" is required: a whole number from 0 to 999\n',
    });
  });

  it.each([
    [[]],
    [['explain']],
    [['explain', 'a', 'b']],
    [['explain', 'a', '--mode', 'fast']],
    [['explain', 'a', '--what']],
    [['other']],
  ])('says how it is used after %j', async (argv) => {
    const { code, stdout, stderr } = await setUp().run(...argv);
    expect([code, stdout, stderr.includes('Usage: castor policy')]).toEqual([1, '', true]);
  });
});

describe('castor policy test', () => {
  const TESTS = `${RULES}
[[test]]
command = "git log"
expect = "allow"

[[test]]
command = "git log && rm x"
mode = "yolo"
expect = "deny"
`;

  it('passes for the example of docs/policy.md', async () => {
    const page = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8');
    const example = /```toml\n([^`]*)```/.exec(page)?.[1];
    const { code, stdout } = await setUp(example).run('test');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '3 of 3 policy tests passed (1 file).\n' });
  });

  it('succeeds when every example comes out as written', async () => {
    expect(await setUp(TESTS).run('test')).toEqual({
      code: 0,
      stdout: '2 of 2 policy tests passed (1 file).\n',
      stderr: '',
    });
  });

  it('fails on a mismatch and says what came out instead', async () => {
    const { code, stdout } = await setUp(TESTS.replace('expect = "allow"', 'expect = "ask_user"')).run('test');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout:
        'FAIL mine.toml:14\n     "git log"\n     expected ask_user, got allow: allowed by mine.toml line 1\n1 of 2 policy tests passed (1 file).\n',
    });
  });

  it("takes files instead of the person's own", async () => {
    const { file, run } = setUp(TESTS);
    expect((await run('test', file)).stdout).toBe('2 of 2 policy tests passed (1 file).\n');
    expect((await run('test', '/no/such.toml')).code).toBe(52);
  });
});
