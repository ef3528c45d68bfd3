import { afterEach, describe, expect, it } from 'vitest';
import headless from '@xterm/headless';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderMarkdown } from '../render/markdown-stream.ts';
import { renderNote, renderUser } from '../conversation/transcript-item.ts';
import { DEFAULT_WIDTHS } from './graphemes.ts';
import { useWidths } from './row-width.ts';
import { breakRow, wrapRows } from './wrap-rows.ts';

describe('wrapRows', () => {
  afterEach(() => useWidths(DEFAULT_WIDTHS));

  it('breaks rows as the terminal counts them', () => {
    const text = 'one 👨‍👩‍👧 two ❤️ three';
    expect(wrapRows(text, { width: 12 })).toEqual(['one 👨‍👩‍👧 two', '❤️ three']);
    useWidths({ ...DEFAULT_WIDTHS, joins: false });
    expect(wrapRows(text, { width: 12 })).toEqual(['one 👨‍👩‍👧', 'two ❤️', 'three']);
    useWidths({ ...DEFAULT_WIDTHS, variation: 1 });
    expect(wrapRows('two ❤️ three', { width: 11 })).toEqual(['two ❤️ three']);
  });

  it('goes on in the second column where there is one, and below the first without room for it', () => {
    const text = 'Keys:\n  ctrl+b  Sends the running command to the background.';
    expect(wrapRows(text, { width: 34, first: 'i ', hasColumns: true })).toEqual([
      'i Keys:',
      '    ctrl+b  Sends the running',
      '            command to the',
      '            background.',
    ]);
    expect(wrapRows(text, { width: 26, first: 'i ', hasColumns: true })).toEqual([
      'i Keys:',
      '    ctrl+b',
      '      Sends the running',
      '      command to the',
      '      background.',
    ]);
    expect(wrapRows('  ✗ docs  could not be started here', { width: 30, hasColumns: true })).toEqual([
      '  ✗ docs  could not be started',
      '          here',
    ]);
  });
});

/** The colours of the letters of each row, in their order, as a terminal shows rows written one by one. */
async function colorsOf(rows: readonly string[]): Promise<number[][]> {
  const terminal = new headless.Terminal({ cols: 40, rows: 20, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(rows.map((row) => `${row}\x1b[m\r\n`).join(''), resolve));
  return rows.map((_, index) => {
    const line = terminal.buffer.active.getLine(index);
    const cells = Array.from({ length: 40 }, (_cell, column) => line?.getCell(column));
    const letters = cells.filter((cell) => /\w/.test(cell?.getChars() ?? ''));
    return [...new Set(letters.map((cell) => cell?.getFgColor() ?? -1))];
  });
}

describe('breakRow', () => {
  it('breaks between words and keeps every character', () => {
    const code = '  return roundMoney(total - discount);  ';
    expect(breakRow(code, 20)).toEqual(['  return ', 'roundMoney(total - ', 'discount);  ']);
    for (const width of [8, 11, 20, 33]) expect(breakRow(code, width).join('')).toBe(code);
  });
});

describe('what is wrapped', () => {
  const styles = createStyles(chooseTheme({}).theme, 'truecolor');
  const words = 'a sentence that takes several rows\nand has a second line which is as long';
  const colorOf = async (style: (text: string) => string) => (await colorsOf([style('x')]))[0];

  it.each([
    ['a message of the user', () => renderUser(words, { styles, width: 20 }), styles.message],
    ['a note', () => renderNote('·', words, styles.secondary, 20), styles.secondary],
    ['a warning', () => renderNote('!', words, styles.warning, 20), styles.warning],
    ['a table of a note', () => renderNote('·', `Keys:\n  a  ${words}`, styles.warning, 32), styles.warning],
    ['a command', () => wrapRows(styles.symbol('echo one two three four'), { width: 10, first: '$ ' }), styles.symbol],
    ['bold inside', () => wrapRows(styles.symbol(`one ${styles.bold('two three')} four`), { width: 8 }), styles.symbol],
  ])('keeps its colour in every row: %s', async (_name, render, style) => {
    const rows = render();
    expect(rows.length).toBeGreaterThan(2);
    const color = await colorOf(style);
    expect(color?.[0]).toBeGreaterThan(0);
    expect(await colorsOf(rows)).toEqual(rows.map(() => color));
  });

  it('has the colour of the quote again behind code inside it', async () => {
    const rows = renderMarkdown('> words `code` words again and again and again', { styles, width: () => 24 });
    const [quote, code] = [-1, (await colorOf(styles.symbol))?.[0]];
    const [first, ...others] = await colorsOf(rows);
    expect(first).toEqual([quote, code]);
    expect(others.length).toBeGreaterThan(0);
    expect(others).toEqual(others.map(() => [quote]));
  });
});
