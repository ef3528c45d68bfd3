/** `/restore` at a terminal: a point of an earlier session is restored, and its call is proposed again. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
import { expect, it } from 'vitest';

const READY = 'Type your message';

it('restores files and conversation of a point, and asks about its call again', async () => {
  await using workspace = await createWorkspace({
    files: { 'notes.txt': 'one\n' },
    homeFiles: { '.gemini/settings.json': '{ "general": { "checkpointing": { "enabled": true } } }' },
  });
  await using model = await fakeModel([
    answer(call('write_file', { file_path: 'notes.txt', content: 'two\n' })),
    answer(call('run_shell_command', { command: 'echo x > made.txt' })),
    say('First done.'),
    say('Written again.'),
    say('And a third time.'),
  ]);
  await runCli(['-p', 'Write it', '-y'], { workspace, model });
  expect([await workspace.read('notes.txt'), existsSync(join(workspace.project, 'made.txt'))]).toEqual(['two\n', true]);
  const projects = join(workspace.home, '.gemini/tmp');
  const [point = ''] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).flatMap(
    (path) => /checkpoints\/(.*)\.json$/.exec(path)?.[1] ?? [],
  );
  // Another session, which allows everything: the user is asked nevertheless.
  await using terminal = await startTerminal(['-y'], { workspace, model, columns: 120 });
  await terminal.waitForText(READY);
  // The name is completed.
  terminal.type('/restore ');
  await terminal.waitForText(point);
  terminal.type('\t');
  await terminal.waitForText(`/restore ${point}`);
  terminal.type('\r');
  await terminal.waitForText('Restored project to the state before the tool call.');
  await terminal.waitForText('❯ 1  Yes, once');
  expect([await workspace.read('notes.txt'), existsSync(join(workspace.project, 'made.txt'))]).toEqual([
    'one\n',
    false,
  ]);
  terminal.type('\r');
  await terminal.waitForText('Written again.');
  expect(await workspace.read('notes.txt')).toBe('two\n');
  const { contents } = model.requests.at(-1)?.body as { contents: { role: string; parts: object[] }[] };
  const [asked, responded] = contents.slice(-2);
  expect(asked?.parts).toMatchObject([{ functionCall: { name: 'write_file' } }]);
  expect(responded?.parts).toMatchObject([{ functionResponse: { name: 'write_file' } }]);
  expect(JSON.stringify(contents)).toContain('Write it');
  expect(JSON.stringify(contents)).not.toContain('First done.');
  // The repeated call belongs to this session.
  await terminal.waitForText(READY);
  terminal.type('/undo --yes\r');
  await terminal.waitForText('Undone: 1 path, verified.');
  expect(await workspace.read('notes.txt')).toBe('one\n');
  // Also where this session has written the file meanwhile.
  terminal.type(`/restore ${point}\r`);
  await terminal.waitForText('❯ 1  Yes, once');
  terminal.type('\r');
  await terminal.waitForText('And a third time.');
  expect(await workspace.read('notes.txt')).toBe('two\n');
});
