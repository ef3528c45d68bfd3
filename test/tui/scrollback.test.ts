/** What the terminal keeps: whole rows, text that can be copied, and no more bytes than needed. */

import { createWorkspace, fakeModel, say, startTerminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY } from './open-terminal.ts';
import { variants } from '../house/variants.ts';

describe('the scrollback', () => {
  it('breaks no row in two where the terminal counts emoji in its own way', { tags: 'wide' }, async () => {
    const words = Array.from({ length: 120 }, (_, index) => `w${index} 👨‍👩‍👧`).join(' ');
    await using model = await fakeModel([say(`${words}\n\nFinished.`)]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitUntil((seen) => seen.lines().includes('Finished.'));
    const rows = terminal.lines().filter((line) => line.includes('👨‍👩‍👧'));
    expect(rows.join(' ')).toBe(words);
    // The emulator gives each of the three a cell.
    const cells = rows.map((row) => row.replaceAll('👨‍👩‍👧', 'xxx').length);
    expect(cells.filter((count) => count > 79)).toEqual([]);
  });

  it('gives back what was written where it is copied: code, and prose as raw markdown', async () => {
    const code = `const words = '${'so many of them '.repeat(8)}';`;
    const prose = `A **long** line, ${'and it goes on '.repeat(12)}to its end.`;
    await using model = await fakeModel([say(`\`\`\`js\n${code}\n\`\`\`\n`), say(`${prose}\n\nThe end.`)]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Code\r');
    await terminal.waitUntil((seen) => seen.lines().includes(code));
    await terminal.waitForText(READY);
    terminal.type('\x1bm');
    await terminal.waitForText('as raw markdown');
    terminal.type('Prose\r');
    await terminal.waitUntil((seen) => seen.lines().includes('The end.'));
    expect(terminal.lines()).toContain(prose);
  });

  it('costs at most two and a half times the bytes of a long answer', async () => {
    const paragraph = 'The quick brown fox jumps over the lazy dog, and **then** it does `so()` again.';
    const words = Array.from({ length: 2_500 }, (_, index) => `${index}. ${paragraph}\n${index % 5 === 4 ? '\n' : ''}`);
    await using model = await fakeModel([say([...words, 'The last line.'])]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    const before = terminal.bytes.length;
    terminal.type('Go\r');
    await terminal.waitForText('The last line.');
    const sent = Buffer.byteLength(terminal.bytes.slice(before));
    const received = Buffer.byteLength(words.join(''));
    expect(received).toBeGreaterThan(200_000);
    expect(sent / received).toBeLessThan(2.5);
    // Whole frames only: a terminal that knows the marks never shows half of one.
    expect(terminal.bytes.split('\x1b[?2026h').length).toBe(terminal.bytes.split('\x1b[?2026l').length);
  });

  variants.each([
    [12, 5],
    [30, 8],
    [200, 50],
  ])('shows a prompt that can be used in %i by %i cells', async (columns, rows) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([
      say('Words 漢字 👨‍👩‍👧 and\ttabs.\n\n| a | b |\n|---|---|\n| long cell | 漢字 |\n'),
    ]);
    await using terminal = await startTerminal([], { model, workspace, columns, rows });
    await terminal.waitForText('❯');
    terminal.type('Hi\r');
    await terminal.waitUntil((seen) => seen.lines().some((line) => line.includes('Words')));
    terminal.type('abc');
    await terminal.waitForText('❯ abc');
    expect(terminal.screen().length).toBeLessThanOrEqual(rows);
  });
});
