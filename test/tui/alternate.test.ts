/** The alternate screen: the whole window is ours, scrolling too, and nothing is left behind. */

import { call, createWorkspace, fakeModel, say, startTerminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

describe('with ui.useAlternateBuffer', () => {
  it('scrolls by keys and wheel, follows the end, and gives the screen back', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"ui":{"useAlternateBuffer":true}}' },
    });
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    await using model = await fakeModel([say(`${lines.join('\n')}\n`)]);
    await using terminal = await startTerminal([], { model, workspace, before: 'before\r\n' });
    await terminal.waitUntil((seen) => seen.modes().isAlternate);
    await terminal.waitForText('Type your message');
    terminal.type('Count\r');
    await terminal.waitForText('line 99');
    expect(terminal.screen()).not.toContain('line 50');
    terminal.type('\x1b[5~\x1b[5~');
    await terminal.waitForText('line 50');
    expect(terminal.screen()).not.toContain('line 99');
    for (let count = 0; count < 40; count++) terminal.type('\x1b[<65;10;10M');
    await terminal.waitForText('line 99');
    await terminal.resize(60, 12);
    await terminal.waitUntil((seen) => seen.screen().length === 12 && seen.screen().includes('line 99'));
    terminal.type('\x03');
    await terminal.waitForText('again');
    terminal.type('\x03');
    await terminal.done;
    expect([terminal.modes(), terminal.lines()[0]]).toEqual([
      { isAlternate: false, hasBracketedPaste: false, hasMouse: false, hasFocusReports: false },
      'before',
    ]);
    expect(terminal.lines().at(-1)).toMatch(/^castor -r /);
  });

  it('writes a blank that was typed last, where a program that reads the screen finds it', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"ui":{"useAlternateBuffer":true}}' },
    });
    await using model = await fakeModel([]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitUntil((seen) => seen.modes().isAlternate);
    await terminal.waitForText('Type your message');
    terminal.type('one');
    await terminal.waitForText(/^❯ one$/m);
    const before = terminal.bytes.length;
    terminal.type(' ');
    await terminal.waitUntil((seen) => seen.cursor().column === 6);
    // oxlint-disable-next-line no-control-regex -- sequences of the terminal are what is looked at
    expect(terminal.bytes.slice(before).replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, '')).toContain('❯ one ');
  });

  it('pages in what is asked about, and is at the end again with the answer', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"ui":{"useAlternateBuffer":true}}' },
    });
    const content = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
    await using model = await fakeModel([call('write_file', { file_path: 'a.txt', content }), say('It is written.')]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitUntil((seen) => seen.modes().isAlternate);
    await terminal.waitForText('Type your message');
    terminal.type('Write\r');
    await terminal.waitForText('❯ 1  Yes, once');
    expect(terminal.screen().join('\n')).not.toContain('line 20');
    terminal.type('\x1b[5~\x1b[5~');
    await terminal.waitForText('line 20');
    await terminal.waitForText('❯ 1  Yes, once');
    terminal.type('1');
    await terminal.waitForText('It is written.');
  });
});
