/** A program of the project writes a file of environment variables, with all commands allowed: docs/decisions/0041. */

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';

const run = (command: string, id: string) => answer(call('run_shell_command', { command }, { id }));
const WRITER = "require('node:fs').writeFileSync('.e' + 'nv', 'KEY=evil\\n')";

describe('a file .env that a program of the project changes', () => {
  it('is told to the user and the model, kept, and asked about the second time', async () => {
    await using workspace = await createWorkspace({ files: { '.env': 'KEY=mine\n', 'generate.cjs': WRITER } });
    const { project } = workspace;
    execFileSync('git', ['init', '-q'], { cwd: project });
    const commands = ['node generate.cjs', 'echo ok', 'node generate.cjs', 'git pull'];
    await using model = await fakeModel([...commands.map((command, index) => run(command, `${index}`)), say('done')]);
    const { code, stderr } = await runCli(['-p', 'go', '--allowed-tools', 'run_shell_command'], { model, workspace });
    const told = commands.map((_, index) => JSON.stringify(model.requests[index + 1]?.body.contents.at(-1)));

    const where = `${join(project, '.env')} was changed.`;
    expect([code, stderr, told[0]]).toEqual([0, expect.stringContaining(where), expect.stringContaining(where)]);
    const kept = /`cp (\S+) \S+` restores it/.exec(stderr)?.[1] ?? '';
    expect([readFileSync(kept, 'utf8'), statSync(kept).mode & 0o777]).toEqual(['KEY=mine\n', 0o600]);
    expect(told[1]).not.toContain('.env');
    expect(told[2]).toContain('node generate.cjs changed a file .env before in this session');
    expect(told[3]).toContain('git merge @{upstream}');
    model.assertDone();
  });

  it('is nothing to tell in yolo mode', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { '.env': 'KEY=mine\n', 'generate.cjs': WRITER } });
    await using model = await fakeModel([run('node generate.cjs', '1'), say('done')]);
    const { stderr } = await runCli(['-p', 'go', '-y'], { model, workspace });
    expect([stderr.includes('.env'), readFileSync(join(workspace.project, '.env'), 'utf8')]).toEqual([
      false,
      'KEY=evil\n',
    ]);
  });
});
