/** For screen readers: lines one after the other, each state said once, nothing drawn again. */

import { answer, call, createWorkspace, fakeModel, say, startTerminal, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const EDIT = call('write_file', { file_path: 'new.txt', content: 'hello\n' });

describe('with --screen-reader', () => {
  it('says everything once, in order, and never moves up', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([answer(text('I will **write**.\n\n'), EDIT), say('Done.')]);
    await using terminal = await startTerminal(['--screen-reader'], { model, workspace });
    await terminal.waitForText('castor 0');
    await terminal.waitForText('>');
    terminal.type('Write it\r');
    await terminal.waitForText('1, Yes, once');
    terminal.type('1');
    await terminal.waitForText('Done.');
    await terminal.waitForText('Ready.');
    const lines = terminal.lines().map((line) => line.trim());
    const said = [
      'You: Write it',
      'I will write.',
      'Waiting for your answer.',
      '1, Yes, once',
      'Write new.txt: done.',
      'Done.',
      'Ready.',
    ];
    const counts = said.map((sentence) => lines.filter((line) => line.replace(/^❯ /, '').startsWith(sentence)).length);
    expect(counts, lines.join('\n')).toEqual(said.map(() => 1));
    const places = said.map((sentence) => lines.findIndex((line) => line.replace(/^❯ /, '').startsWith(sentence)));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    // oxlint-disable-next-line no-control-regex -- these sequences are what must not be there
    expect(terminal.bytes).not.toMatch(/\x1b\[\d*[AHFJ]|\x1b\[\d+;\d+H|\x1b\[\?2026h/);
    expect(await workspace.read('new.txt')).toBe('hello\n');
  });

  it('says how to type into a command that runs, what it asks, and how to leave it', async () => {
    const script = [call('run_shell_command', { command: 'read -p "Name: " name; echo "hi $name"' }), say('Done.')];
    await using model = await fakeModel(script);
    await using terminal = await startTerminal(['--screen-reader', '--yolo'], { model, columns: 100 });
    await terminal.waitForText('castor 0');
    terminal.type('Ask\r');
    await terminal.waitForText('A command is running: tab types into it, ctrl+b to the background.');
    terminal.type('\t');
    await terminal.waitForText('shift+tab: back to the prompt · ctrl+b: background');
    terminal.type('Ada\r');
    await terminal.waitForText('Done.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('hi Ada');
  });
});
