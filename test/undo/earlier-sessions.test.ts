/** What an earlier session changed is listed and taken back from a later one, and what was changed since stays. */

import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { answer, call, createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
import { expect, it } from 'vitest';

const shell = (command: string) => answer(call('run_shell_command', { command }));
const READY = 'Type your message';

it('lists all sessions, undoes in an earlier one, and leaves what a later one changed', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n', 'b.txt': 'one\n' } });
  await using model = await fakeModel([
    ...[shell('echo two > a.txt; echo two > b.txt; echo x > made.txt'), say('First.')],
    ...[shell('echo three > b.txt'), say('Second.')],
    say('Third.'),
  ]);
  const run = (...args: string[]) => runCli(args, { workspace, model });
  await run('-p', 'Change all', '-y');
  await run('-p', 'Change b', '-y');
  await run('-p', 'Only talk');
  const listed = JSON.parse((await run('undo', '--list', '-o', 'json')).stdout);
  expect(listed).toMatchObject({
    prompts: [{ text: 'Change b', files: 1 }],
    earlier: [{ prompts: [{ text: 'Change all', files: 3 }] }],
  });
  const first = listed.earlier[0].session as string;
  // The last session has changed nothing: its user is told where to look.
  await using terminal = await startTerminal(['-r', 'latest'], { workspace, model, columns: 160 });
  await terminal.waitForText(READY);
  terminal.type('/undo\r');
  await terminal.waitForText('takes back its last prompt.');
  terminal.type('/undo list\r');
  await terminal.waitForText(
    /--session \S{8} \(Change b, [^]*1\. Change b \(1 file\)[^]*--session \S{8} \(Change all, /,
  );
  await terminal.waitForText('1. Change all (3 files)');
  terminal.type(`/undo --session ${first.slice(0, 8)}\r`);
  await terminal.waitForText('Undo these changes?');
  await terminal.waitForText('b.txt: it was changed since, by you or another program');
  terminal.type('\r');
  await terminal.waitForText('Undone: 2 paths, verified.');
  expect([await workspace.read('a.txt'), await workspace.read('b.txt')]).toEqual(['one\n', 'three\n']);
  expect(existsSync(join(workspace.project, 'made.txt'))).toBe(false);
  // From the command line the latest session with something to take back is meant.
  const undone = JSON.parse((await run('undo', '-o', 'json')).stdout);
  expect(undone).toMatchObject({ restored: ['b.txt'], outcome: { isVerified: true } });
  expect(await workspace.read('b.txt')).toBe('two\n');
});
