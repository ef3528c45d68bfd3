import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { variants } from '../house/variants.ts';

describe('castor in a folder', () => {
  async function runIn(level: string | undefined, args: string[] = [], env: Record<string, string> = {}) {
    await using workspace = await createWorkspace();
    if (level !== undefined) {
      const file = join(workspace.root, 'trusted.json');
      await writeFile(file, JSON.stringify({ [workspace.project]: level }), { mode: 0o600 });
      env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] = file;
    }
    await using model = await fakeModel([say('ok')]);
    const { stdout, stderr, code } = await runCli(['-p', 'hi', ...args], { model, workspace, env });
    return { stdout, stderr, code, requests: model.requests.length };
  }

  variants.each<[string, string | undefined, string[], Record<string, string>]>([
    ['that is trusted', 'TRUST_FOLDER', [], {}],
    ['without a trust decision', undefined, [], {}],
    ['that is trusted for this run', 'DO_NOT_TRUST', ['--skip-trust'], {}],
    ['that a variable trusts', 'DO_NOT_TRUST', [], { GEMINI_CLI_TRUST_WORKSPACE: 'true' }],
  ])('%s answers', async (_, level, args, env) => {
    expect(await runIn(level, args, env)).toEqual({ stdout: 'ok\n', stderr: '', code: 0, requests: 1 });
  });

  variants.each<[string, string | undefined, Record<string, string>, number, string]>([
    ['that is not trusted', 'DO_NOT_TRUST', {}, 55, 'as DO_NOT_TRUST. Change that entry, or trust the folder'],
    ['that a variable forbids', 'TRUST_FOLDER', { GEMINI_CLI_TRUST_WORKSPACE: 'false' }, 55, '--skip-trust'],
    ['with an entry that cannot be meant', 'MAYBE', {}, 52, '"MAYBE" is not one of TRUST_FOLDER'],
    ['with a variable that cannot be meant', undefined, { GEMINI_CLI_TRUST_WORKSPACE: 'no' }, 52, 'true or false'],
  ])('%s does nothing and says what to do', async (_, level, env, code, words) => {
    const result = await runIn(level, [], env);
    expect(result).toMatchObject({ stdout: '', code, requests: 0 });
    expect(result.stderr).toContain(words);
  });
});

describe('castor where settings ask about folders', () => {
  const asks = { '.gemini/settings.json': '{"security":{"folderTrust":{"enabled":true}}}' };
  const other = { '.gemini/settings.json': '{"security":{"disableYoloMode":true}}' };

  variants.each<[string, Record<string, string>, string[], { code: number; requests: number; said: string }]>([
    [
      'is not run in a folder without a trust decision',
      asks,
      [],
      { code: 55, requests: 0, said: 'settings.json:1 requires one' },
    ],
    ['is run in it when it is trusted for this run', asks, ['--skip-trust'], { code: 0, requests: 1, said: '' }],
    ['is run in it when they ask for something else', other, [], { code: 0, requests: 1, said: '' }],
  ])('%s', async (_, homeFiles, args, expected) => {
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel([say('ok')]);
    const { code, stderr } = await runCli(['-p', 'hi', ...args], { model, workspace });
    const said = /settings\.json:\d+ requires one/.exec(stderr)?.[0] ?? '';
    expect({ code, requests: model.requests.length, said }).toEqual(expected);
  });
});

describe('git commands of the shell tool', () => {
  async function statusIn(trust: string[]): Promise<boolean> {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' } });
    const canary = join(workspace.root, 'canary');
    const script = join(workspace.root, 'evil.sh');
    await writeFile(script, `#!/bin/sh\ntouch '${canary}'\ncat\n`);
    await chmod(script, 0o755);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.project, stdio: 'ignore' });
    git('init', '-q');
    git('add', '.');
    await appendFile(join(workspace.project, '.git', 'config'), `[filter "evil"]\n\tclean = ${script}\n`);
    await workspace.write('.gitattributes', '*.txt filter=evil\n');
    await workspace.write('a.txt', 'two\n');
    await using model = await fakeModel([
      answer(call('run_shell_command', { command: 'git status' }, { id: '1' })),
      say('done'),
    ]);
    const { stdout } = await runCli(['-y', '-p', 'hi', ...trust], { model, workspace });
    expect(stdout).toBe('done\n');
    return existsSync(canary);
  }

  it('run nothing of a repository without a trust decision, and the hooks of a trusted one', async () => {
    expect([await statusIn([]), await statusIn(['--skip-trust'])]).toEqual([false, true]);
  });
});

describe('castor with a policy file', () => {
  it('runs nothing when a rule in it would not be in force, and names the place', async () => {
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/policies/mine.toml': '[[rule]]\ntoolName = "write_file"\ndecision = "dney"\npriority = 1\n',
      },
    });
    await using model = await fakeModel([]);
    const result = await runCli(['-y', '-p', 'hi'], { model, workspace });
    expect(result).toMatchObject({ stdout: '', code: 52 });
    expect(result.stderr).toMatch(/mine\.toml:\d+: .*decision/);
    expect(model.requests).toEqual([]);
  });
});
