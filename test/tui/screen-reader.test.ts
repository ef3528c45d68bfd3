/** For screen readers: lines one after the other, each state said once, nothing drawn again. */

import { answer, call, createWorkspace, fakeModel, fault, say, startTerminal, text } from '@castor/testkit';
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
      'Castor: I will write.',
      'Waiting for your answer.',
      '1, Yes, once',
      'Write new.txt: done, 1 added, 0 removed.',
      'Castor: Done.',
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

  it('says calls, risks, refusals, pickers and errors in words, without a sign, a bar or a column', async () => {
    const script = [
      answer(text('- [x] seen\n- [ ] open\n\n> quoted\n'), call('run_shell_command', { command: 'seq 1 30; exit 3' })),
      call('run_shell_command', { command: 'rm -rf build' }),
      say('Over.'),
      fault(400, { message: 'This model cannot call tools.' }),
    ];
    await using model = await fakeModel(script);
    await using terminal = await startTerminal(['--screen-reader'], { model, columns: 120, rows: 50 });
    await terminal.waitForText('castor 0');
    terminal.type('Go\r');
    await terminal.waitForText('Command: seq 1 30; exit 3');
    await terminal.waitForText('A digit answers, Enter means 1, Escape means no.');
    terminal.type('1');
    await terminal.waitForText('Risk: deletes files.');
    await terminal.waitForText(/Command: rm -rf build[^]*A digit answers, Enter means 3, Escape means no\./);
    terminal.type('\x1b');
    await terminal.waitForText('Ready.');
    terminal.type('/model\r');
    await terminal.waitForText('Arrows choose, Enter for this session, Escape leaves.');
    terminal.type('\x1b');
    await terminal.waitForText('unchanged');
    terminal.type('Again\r');
    await terminal.waitForText('Castor: Over.');
    // An answer that comes at once has no "Ready." behind it, since there was no "Working." before it.
    await terminal.waitUntil((shown) => shown.title().includes('Ready'));
    terminal.type('Once more\r');
    await terminal.waitForText('This model cannot call tools.');
    const spoken = terminal.lines().join('\n');
    const words = [
      'Castor: Done: seen',
      'Open: open',
      'Quote: quoted',
      'failed, exit code 3',
      '30 lines.',
      '20 lines left out: ctrl+o shows them.',
      'Shell rm -rf build: refused by you.',
      'Columns: context, $/M in, $/M out.',
      'Error: ',
    ];
    expect(words.filter((each) => !spoken.includes(each))).toEqual([]);
    expect(spoken).not.toMatch(/[✓✗☐▸└█─…→❯]|^! /m);
  });

  it('says how to type into a command that runs, what it asks, and how to leave it', { tags: 'wide' }, async () => {
    const script = [call('run_shell_command', { command: 'read -p "Name: " name; echo "hi $name"' }), say('Done.')];
    await using model = await fakeModel(script);
    await using terminal = await startTerminal(['--screen-reader', '--yolo'], { model, columns: 100 });
    await terminal.waitForText('castor 0');
    terminal.type('Ask\r');
    await terminal.waitForText('A command is running: tab types into it, ctrl+b to the background.');
    terminal.type('\t');
    await terminal.waitForText('shift+tab back to the prompt · ctrl+b to the background');
    terminal.type('Ada\r');
    await terminal.waitForText('Done.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('hi Ada');
  });
});
