/** `castor undo` and `/undo` of the built program: what a run changed is listed, shown and taken back, and redone. */

import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const shell = (command: string) => answer(call('run_shell_command', { command }));

/** A folder with the programs that the commands of the test need, and no others. */
function withoutGit(home: string): string {
  const folder = join(home, 'programs');
  mkdirSync(folder);
  for (const name of ['sh', 'bash', 'rm', 'mkdir']) symlinkSync(`/bin/${name}`, join(folder, name));
  return folder;
}

describe('castor undo', () => {
  it('lists, previews, undoes and redoes what a run changed, as text and JSON (39), where no git is installed (13)', async () => {
    await using workspace = await createWorkspace();
    await workspace.write('a.txt', 'one\n');
    await workspace.write('.env', 'SECRET=1\n');
    await using model = await fakeModel([
      shell('echo two > a.txt; rm .env; mkdir made; echo x > made/x'),
      answer(call('write_file', { file_path: 'b.txt', content: 'written\n' })),
      say('Done.'),
    ]);
    const env = { PATH: withoutGit(workspace.home) };
    const run = (...args: string[]) => runCli(args, { workspace, model, env });
    expect(await run('-p', 'Change files', '-y')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const path = (name: string) => join(workspace.project, name);
    const listed = JSON.parse((await run('undo', '--list', '-o', 'json')).stdout);
    expect(listed.prompts).toMatchObject([{ number: 1, text: 'Change files', files: 5, isUndone: false }]);
    expect((await run('undo', '--list')).stdout).toContain('1. Change files (5 files)');
    const preview = JSON.parse((await run('undo', '--preview', '-o', 'json')).stdout);
    expect(preview).toMatchObject({
      restored: ['a.txt'],
      deleted: ['b.txt', 'made', 'made/x'],
      recreated: ['.env'],
      leftAlone: [],
      notCovered: [],
    });
    expect(preview.diffs[1]).toMatchObject({ path: 'a.txt', diff: expect.stringContaining('-two\n+one\n') });
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('two\n');
    const undone = await run('undo', '--to', '1', '-o', 'json');
    expect(undone.code).toBe(0);
    expect(JSON.parse(undone.stdout)).toMatchObject({ outcome: { isVerified: true, skipped: [] } });
    expect(readdirSync(workspace.project).toSorted()).toEqual(['.env', 'a.txt']);
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(path('.env'), 'utf8')).toBe('SECRET=1\n');
    expect(await run('undo')).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing to undo/) });
    expect(await run('undo', '--redo')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Redone: 5 paths, verified\./),
    });
    expect(readFileSync(path('made/x'), 'utf8')).toBe('x\n');
  });

  it(
    'tells the model of an undo when the session goes on, and shows the changes with /diff',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace();
      await workspace.write('a.txt', 'one\n');
      await using model = await fakeModel([shell('echo two > a.txt'), say('Done.'), say('Read.')]);
      const run = (...args: string[]) => runCli(args, { workspace, model });
      await run('-p', 'Change a.txt', '-y');
      expect((await run('-r', 'latest', '-p', '/diff')).stdout).toContain('-one\n+two\n');
      await run('undo', '--yes');
      expect((await run('-r', 'latest', '-p', '/diff')).stdout).toContain('This session has changed no files.');
      await run('-r', 'latest', '-p', 'And now?');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('took back the file changes made for');
    },
  );

  it('covers only edits in a home folder, and says so once (40)', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([shell('echo x > a.txt'), shell('echo y > a.txt'), say('Done.')]);
    const home = { GEMINI_CLI_HOME: workspace.project };
    const { stderr } = await runCli(['-p', 'Go', '-y'], { workspace, model, env: home });
    expect(stderr.match(/Undo covers edits only/g)).toHaveLength(1);
  });

  it('costs commands that only read nothing: no store is made', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await workspace.write('a.txt', 'one\n');
    await using model = await fakeModel([shell('cat a.txt | grep o'), say('Done.')]);
    expect(await runCli(['-p', 'Read', '--allowed-tools', 'run_shell_command'], { workspace, model })).toMatchObject({
      code: 0,
    });
    expect((await runCli(['undo', '--list'], { workspace, model })).stdout).toBe(
      'This session has changed no files.\n',
    );
  });

  it('keeps nothing of a deleted session: no copy of .env is left behind (43)', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await workspace.write('.env', 'SECRET=1\n');
    await using model = await fakeModel([shell('echo SECRET=2 > .env'), say('Done.')]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    await run('-p', 'Change', '-y');
    const stores = () =>
      readdirSync(join(workspace.home, '.gemini/tmp'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('undo'),
      );
    expect(stores().length).toBeGreaterThan(0);
    await run('sessions', 'delete', '1');
    expect(stores()).toEqual([]);
  });

  it('writes restore points where the setting asks for them, and lists them in the words of Gemini CLI', async () => {
    await using workspace = await createWorkspace();
    await workspace.write('.gemini/settings.json', '{ "general": { "checkpointing": { "enabled": true } } }');
    await using model = await fakeModel([
      answer(call('write_file', { file_path: 'b.txt', content: 'written\n' })),
      say('Done.'),
    ]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    expect((await run('-p', '/restore')).stdout).toContain('No restorable tool calls found.');
    await run('-p', 'Write', '-y', '--skip-trust');
    expect((await run('-r', 'latest', '-p', '/restore')).stdout).toMatch(
      /^Available tool calls to restore:\n\n\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_\d{3}Z-b\.txt-write_file/,
    );
  });
});
