/** What `castor undo` says is what happened: after a kill, with conflicts, without cover, and by its exit code. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { expect, it } from 'vitest';

const shell = (command: string) => answer(call('run_shell_command', { command }));

it('lists and shows what a killed command changed, as the undo does it', async () => {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' } });
  await using model = await fakeModel([shell('echo two > a.txt; mkdir d; echo x > d/x; kill -9 $PPID')]);
  const run = (...args: string[]) => runCli(args, { workspace, model });
  expect((await run('-p', 'Change files', '-y')).code).not.toBe(0);
  const preview = await run('undo', '--preview', '-o', 'json');
  expect(preview).toMatchObject({ code: 0, stderr: expect.stringContaining('Castor was stopped during') });
  expect(JSON.parse(preview.stdout)).toMatchObject({ restored: ['a.txt'], deleted: ['d', 'd/x'] });
  expect(await workspace.read('a.txt')).toBe('two\n');
  expect((await run('undo', '--list')).stdout).toContain('1. Change files (3 files)');
  expect(await run('undo', '--yes')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Undone: 3 paths, ver/) });
  expect(await workspace.read('a.txt')).toBe('one\n');
});

it('has a list of its own after a kill', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' } });
  await using model = await fakeModel([shell('echo two > a.txt; kill -9 $PPID')]);
  const run = (...args: string[]) => runCli(args, { workspace, model });
  await run('-p', 'Change files', '-y');
  expect(await run('undo', '--list')).toMatchObject({
    stdout: expect.stringContaining('1. Change files (1 file)'),
    stderr: expect.stringContaining('Castor was stopped during'),
  });
});

it('exits with 1 when a path was left alone, and shows what others wrote since', async () => {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' } });
  await using model = await fakeModel([shell('echo two > a.txt; echo x > b.txt'), say('Done.')]);
  const run = (...args: string[]) => runCli(args, { workspace, model });
  await run('-p', 'Change files', '-y');
  await workspace.write('a.txt', 'user\n');
  await workspace.write('job.log', 'written since\n');
  const preview = JSON.parse((await run('undo', '--preview', '-o', 'json')).stdout);
  expect(preview).toMatchObject({ deleted: ['b.txt'], leftAlone: [{ path: 'a.txt' }], byOthers: ['job.log'] });
  const undone = await run('undo', '-o', 'json');
  expect(undone.code).toBe(1);
  expect(JSON.parse(undone.stdout).outcome).toMatchObject({ done: ['b.txt'], isVerified: true, isComplete: false });
  expect(await run('undo', '--list', '--redo')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--list takes no --redo'),
  });
});

it('says that nothing was undone, as often as it is asked', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' } });
  await using model = await fakeModel([shell('echo two > a.txt'), say('Done.')]);
  const run = (...args: string[]) => runCli(args, { workspace, model });
  await run('-p', 'Change files', '-y');
  await workspace.write('a.txt', 'user\n');
  for (let time = 0; time < 2; time++)
    expect(await run('undo')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Nothing was undone\.\nLeft/) });
  const { outcome } = JSON.parse((await run('undo', '-o', 'json')).stdout);
  expect(outcome).toMatchObject({ done: [], isVerified: false, isComplete: false });
  expect(readFileSync(join(workspace.project, 'a.txt'), 'utf8')).toBe('user\n');
});

it('names calls that ran without cover', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([shell('echo x > a.txt'), say('Done.')]);
  const env = { GEMINI_CLI_HOME: workspace.project };
  const run = (...args: string[]) => runCli(args, { workspace, model, env });
  await run('-p', 'Go', '-y');
  expect((await run('undo', '--list')).stdout).toMatch(/1\. Go \(0 files\)\n.*not covered: undo covered edits only/);
  expect(await run('undo')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('but 1 call ran while undo covered edits only'),
  });
});
